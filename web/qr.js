// A QR code as a drawing, by qrcode-generator (web/setup/package.json).
import { qrcode } from "./qrcode.mjs";

const QUIET = 4;  // cells of white around it, as the standard asks

/** @param {string} text  ASCII, at most 2,953 characters @returns {SVGElement} black on white, whatever the theme: readers expect it */
export function qrCode(text) {
  const code = qrcode(0, "L");
  code.addData(text);
  code.make();
  const cells = code.getModuleCount(), size = cells + 2 * QUIET;
  let path = "";
  for (let row = 0; row < cells; ++row) {
    for (let column = 0, run = 0; column < cells; column += run) {
      const dark = code.isDark(row, column);
      for (run = 1; column + run < cells && code.isDark(row, column + run) === dark; ++run);
      if (dark) path += `M${column + QUIET} ${row + QUIET}h${run}v1h-${run}z`;
    }
  }
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("shape-rendering", "crispEdges");
  const draw = (name, values) => {
    const one = svg.appendChild(document.createElementNS(svg.namespaceURI, name));
    for (const [key, value] of Object.entries(values)) one.setAttribute(key, String(value));
  };
  draw("rect", { width: size, height: size, fill: "#fff" });
  draw("path", { d: path, fill: "#000" });
  return svg;
}
