// SPDX-License-Identifier: MIT
// chart_picture.js - a drawing as a PNG, with the colours that the page gives it and its title above.
//
// Failure: a browser that draws no SVG onto a canvas: null.
const LOOKS = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-linejoin', 'font-size', 'font-family', 'font-weight', 'text-anchor', 'opacity'];
const TITLE = 34, EDGE = 16, SCALE = 2;
const NS = 'http://www.w3.org/2000/svg';

// The drawing with everything that styles say written into it.
const standAlone = drawing => {
  const copy = drawing.cloneNode(true), from = [...drawing.querySelectorAll('*')];
  copy.setAttribute('xmlns', NS);
  [...copy.querySelectorAll('*')].forEach((element, i) => {
    const style = getComputedStyle(from[i]);
    for (const name of LOOKS)
      element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute('class');
  });
  return copy;
};

const load = address => new Promise((resolve, reject) => {
  const image = new Image();
  image.onload = () => resolve(image);
  image.onerror = reject;
  image.src = address;
});

export const pictureOf = async (drawing, title) => {
  const { width, height } = drawing.viewBox.baseVal, style = getComputedStyle(drawing.closest('figure'));
  const address = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(standAlone(drawing))], { type: 'image/svg+xml' }));
  try {
    const image = await load(address), canvas = document.createElement('canvas');
    canvas.width = (width + 2 * EDGE) * SCALE;
    canvas.height = (height + TITLE + 2 * EDGE) * SCALE;
    const context = canvas.getContext('2d');
    context.scale(SCALE, SCALE);
    context.fillStyle = style.getPropertyValue('--panel').trim() || 'white';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = style.color;
    context.font = `600 15px ${style.fontFamily}`;
    context.fillText(title, EDGE, EDGE + 16, width);
    context.drawImage(image, EDGE, EDGE + TITLE, width, height);
    return await new Promise(resolve => canvas.toBlob(resolve, 'image/png'));
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(address);
  }
};
