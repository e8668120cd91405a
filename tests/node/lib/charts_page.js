// SPDX-License-Identifier: MIT
// tests/node/lib/charts_page.js - in the browser: draw configurations (CONFIGS) with Chart.js, and report what
// became of each: complaints, a picture, how much of it is painted, and where its elements lie.
const complaints = [];
for (const level of ['error', 'warn'])
  console[level] = (...words) => complaints.push(words.join(' '));

const painted = canvas => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 3; i < data.length; i += 4)
    count += data[i] > 0;
  return count / (canvas.width * canvas.height);
};

// Charts are transparent; a picture to look at is not.
const onWhite = canvas => {
  const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
  const context = copy.getContext('2d');
  context.fillStyle = 'white';
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(canvas, 0, 0);
  return copy.toDataURL('image/png');
};

const describeScale = ({ id, axis, min, max, top, bottom, left, right, ticks }) =>
  ({ id, axis, min, max, top, bottom, left, right, ticks: ticks.map(tick => tick.label) });

const describeElement = ({ x, y, base, width, height, circumference, skip }) =>
  ({ x, y, base, width, height, circumference, skip: Boolean(skip) });

const draw = config => {
  complaints.length = 0;
  const canvas = Object.assign(document.createElement('canvas'), { width: 900, height: 500 });
  document.body.append(canvas);
  try {
    const chart = new Chart(canvas, { ...config, options: { ...config.options, animation: false, responsive: false } });
    chart.update();
    return {
      complaints: [...complaints],
      painted: painted(canvas),
      picture: onWhite(canvas),
      scales: Object.values(chart.scales).map(describeScale),
      area: chart.chartArea,
      datasets: chart.data.datasets.map((dataset, i) => {
        const meta = chart.getDatasetMeta(i);
        return { label: dataset.label, elements: meta.data.map(describeElement), xAxisID: meta.xAxisID, yAxisID: meta.yAxisID };
      }),
    };
  } catch (error) {
    return { complaints: [...complaints, String(error)] };
  }
};

report(CONFIGS.map(draw));
