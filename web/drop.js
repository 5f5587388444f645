// Drag and drop, and pasting, anywhere on the page but where text is typed.
import { byId, element } from "./dom.js";

/**
 * What was dropped. It has to be taken at once: the list is empty when the event is over.
 * @param {DataTransfer} transfer
 * @returns {{files: File[], folders: any[]}}  folders: FileSystemDirectoryEntry
 */
export function filesOf(transfer) {
  const files = [], folders = [];
  for (const item of transfer.items) {
    if (item.kind !== "file") continue;
    const entry = item.webkitGetAsEntry?.();
    const file = entry?.isDirectory ? null : item.getAsFile();
    if (entry?.isDirectory) folders.push(entry);
    else if (file) files.push(file);
  }
  return { files, folders };
}

/**
 * @param {{
 *   locale: import("./locale.js").Locale,
 *   openFiles: (files: File[], folders: any[]) => void,
 *   openText: (text: string) => void,
 *   say: (text: string) => void,
 * }} app
 */
export function acceptDrops({ locale, openFiles, openText, say }) {
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
    const { files, folders } = filesOf(event.dataTransfer);
    if (files.length + folders.length > 0) openFiles(files, folders);
    else say(locale.t("dom.drop.nothing"));
  });
  addEventListener("paste", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (target.closest?.("input, textarea, select, [contenteditable]") || document.querySelector("dialog[open]")) return;
    const { files } = filesOf(event.clipboardData);
    const text = files.length > 0 ? "" : event.clipboardData.getData("text/plain");
    if (files.length > 0) openFiles(files, []);
    else if (text.trim() !== "") openText(text);
    else return;
    event.preventDefault();
  });
}
