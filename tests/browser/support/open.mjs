// What most tests begin with.

/** Opens the site and waits until nothing is pending. Policy violations are collected in `window.violations`. */
export async function openSite(ctx, options = {}, tail = "") {
  const { init, ...rest } = options;
  const page = await ctx.newPage(rest);
  await page.addInitScript(() => {
    window.violations = [];
    addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  if (init) await page.addInitScript(init);
  await page.goto(ctx.url + tail);
  await settled(page);
  return page;
}

export const settled = (page) => page.evaluate(async () => { await window.rollscope.ready; await window.rollscope.idle(); });

/** A file for the page's input, as if chosen. @param {string | {name: string, buffer: Buffer}} file */
export const choose = (page, file) => page.setInputFiles("#file-input", typeof file === "string" ? file : { mimeType: "application/octet-stream", ...file });

export const openName = (page) => page.textContent("#file-name");

/** explain() in the page, or {code, text, fix}. */
export const explain = (page, options) => page.evaluate((o) => window.rollscope.explain(o).catch(({ code, text, fix }) => ({ code, text, fix })), options);

/** A device that holds Blob workers back, as some browsers do on file pages. */
export const withoutWorkers = () => { window.Worker = function () { throw new Error("workers are refused here"); }; };
