// Drag and drop, anywhere on the page. One file is opened; folders and further files are said, not silently left.
import { byId, element } from "./dom.js";

/**
 * The file to open of what was dropped.
 * @param {DataTransfer} transfer
 * @returns {{file: File | null, files: number, folders: number}}
 */
export function filesOf(transfer) {
  let file = null, files = 0, folders = 0;
  for (const item of transfer.items) {
    if (item.kind !== "file") continue;
    if (item.webkitGetAsEntry?.()?.isDirectory) { ++folders; continue; }
    ++files;
    file ??= item.getAsFile();
  }
  return { file, files, folders };
}

/**
 * @param {{
 *   locale: import("./locale.js").Locale,
 *   openFile: (file: File) => void,
 *   say: (text: string) => void,
 * }} app
 */
export function acceptDrops({ locale, openFile, say }) {
  const overlay = byId("drop");
  let depth = 0;  // enters less leaves: each element on the way sends both
  const show = (on) => {
    overlay.hidden = !on;
    if (on) overlay.replaceChildren(element("div", { class: "drop-card" }, element("b", {}, locale.t("dom.drop.title")), element("p", {}, locale.t("dom.drop.formats"))));
  };
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");

  addEventListener("dragenter", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    if (++depth === 1) show(true);
  });
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
  });
  addEventListener("dragleave", (event) => {
    if (!hasFiles(event)) return;
    depth = Math.max(0, depth - 1);
    if (depth === 0) show(false);
  });
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();  // the browser would leave the page for the file
    depth = 0;
    show(false);
    const { file, files, folders } = filesOf(event.dataTransfer);
    if (!file) say(locale.t(folders ? "dom.drop.folder" : "dom.drop.nothing"));
    else {
      if (files + folders > 1) say(locale.t("dom.drop.one", { file: file.name }));
      openFile(file);
    }
  });
}
