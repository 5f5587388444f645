// The picture of a dump, where it is a data URL: only the browser can decode it.
const MOST = 1024;  // pixels a side; patches are coarser than that

/** @param {string} url  data:image/... @returns {Promise<{rgb: Uint8Array, width: number, height: number}>} */
export async function decode(url) {
  const image = new Image();
  image.src = url;
  await image.decode();
  const scale = Math.min(1, MOST / Math.max(image.naturalWidth, image.naturalHeight, 1));
  const width = Math.max(1, Math.round(image.naturalWidth * scale)), height = Math.max(1, Math.round(image.naturalHeight * scale));
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  const rgb = new Uint8Array(width * height * 3);
  for (let i = 0, j = 0; i < data.length; i += 4) for (let c = 0; c < 3; ++c) rgb[j++] = data[i + c];
  return { rgb, width, height };
}
