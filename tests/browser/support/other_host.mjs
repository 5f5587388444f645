// Another host, played by the test: every request to https://HOST/ is answered here, so that policies, consent and
// cross-origin rules are those of the real web.

/**
 * @param {any} page
 * @param {Record<string, {body?: Buffer, headers?: Record<string, string>, status?: number, ranges?: boolean, exposed?: boolean, open?: boolean}>} files
 *   address to answer. ranges: byte ranges are served; exposed: their Content-Range may be read by other sites;
 *   open (default true): other sites may read at all
 * @returns {Promise<{url: string, range: string | undefined, headers: Record<string, string>}[]>}  what was asked, growing
 */
export async function playHosts(page, files) {
  const asked = [];
  await page.context().route((url) => Object.keys(files).some((address) => new URL(address).host === url.host), (route) => {
    const request = route.request();
    const headers = request.headers();
    asked.push({ url: request.url(), range: headers.range, headers });
    const file = files[request.url()];
    if (!file) return route.fulfill({ status: 404, body: "no", headers: { "Access-Control-Allow-Origin": "*" } });
    const { body = Buffer.alloc(0), status = 200, ranges = false, exposed = true, open = true } = file;
    const more = { ...(open ? { "Access-Control-Allow-Origin": "*" } : {}), ...(exposed ? { "Access-Control-Expose-Headers": "Content-Range, ETag" } : {}), "Content-Type": "application/octet-stream", ...file.headers };
    const range = ranges && /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? "");
    if (!range) return route.fulfill({ status, body, headers: more });
    const from = Number(range[1]), to = range[2] === "" ? body.length - 1 : Math.min(Number(range[2]), body.length - 1);
    return route.fulfill({ status: 206, body: body.subarray(from, to + 1), headers: { ...more, "Content-Range": `bytes ${from}-${to}/${body.length}` } });
  });
  return asked;
}
