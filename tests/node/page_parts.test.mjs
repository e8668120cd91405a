// SPDX-License-Identifier: MIT
// tests/node/page_parts.test.mjs - modules of the page at / by themselves, in Chromium where they live: Markdown,
// also cut at every character; SQL in lines; CSV; the layout of graphs; streams of events; questions to begin with.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startAskd } from './lib/harness.mjs';
import { Page } from './lib/page.mjs';

const askd = await startAskd({ env: { ASKD_PAGE_COMPANY_ID: 'acme' } });
const page = await Page.open(askd.url);
after(() => page.close());
const [, folder] = /"(\/page\/[^/]+\/)main\.js"/.exec(await (await askd.fetch('/')).text());

// Call what (a function of a module and a value) in the page.
const inPage = (name, what, value) => page.page.evaluate(
  `import(${JSON.stringify(folder + name)}).then(module => (${what})(module, ${JSON.stringify(value) ?? 'undefined'}))`);

const asHtml = text => inPage('markdown_view.js', ({ MarkdownView }, given) => {
  const view = new MarkdownView();
  view.update(given);
  return view.element.innerHTML;
}, text);

const MARKDOWN = [
  ['plain', '<p>plain</p>'],
  ['a **b** *c* __d__ _e_ ~~f~~ ***g***', '<p>a <strong>b</strong> <em>c</em> <strong>d</strong> <em>e</em> <del>f</del> <strong><em>g</em></strong></p>'],
  ['**a *b* c** and *a **b** c*', '<p><strong>a <em>b</em> c</strong> and <em>a <strong>b</strong> c</em></p>'],
  ['snake_case_name 2 * 3 * 4 **open', '<p>snake_case_name 2 * 3 * 4 **open</p>'],
  ['`a*b*` ``c`d`` `open', '<p><code>a*b*</code> <code>c`d</code> `open</p>'],
  ['\\*a\\* \\_ \\\\ \\q', '<p>*a* _ \\ \\q</p>'],
  ['one\ntwo  \nthree\\\nfour', '<p>one two<br>three<br>four</p>'],
  ['one\n\n\ntwo', '<p>one</p><p>two</p>'],
  ['# a\n### b ##\n###### c', '<h3>a</h3><h4>b</h4><h5>c</h5>'],
  ['#no heading\n\n#5 is none', '<p>#no heading</p><p>#5 is none</p>'],
  ['- a\n- b\n  - c\n    1. d\n\n- e', '<ul><li>a</li><li>b<ul><li>c<ol><li>d</li></ol></li></ul></li><li>e</li></ul>'],
  ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
  ['- a\n1. b', '<ul><li>a</li></ul><ol><li>b</li></ol>'],
  ['- a\n\n  more\n- b', '<ul><li>a<p>more</p></li><li>b</li></ul>'],
  ['text\n- a', '<p>text</p><ul><li>a</li></ul>'],
  ['> a\n> **b**\n> > c', '<blockquote><p>a <strong>b</strong></p><blockquote><p>c</p></blockquote></blockquote>'],
  ['---\n***\n_ _ _', '<hr><hr><hr>'],
  ['$x_1 * y$ costs $5 and $10, \\(a_b\\)', '<p><math><mrow><msub><mi>x</mi><mn>1</mn></msub><mo>*</mo><mi>y</mi></mrow></math> costs $5 and $10, <math><mrow><msub><mi>a</mi><mi>b</mi></msub></mrow></math></p>'],
  ['[a](https://e.org/x_(1)) <https://e.org> https://e.org/a_b_c.', '<p>' + [['https://e.org/x_(1)', 'a'], ['https://e.org', 'https://e.org'], ['https://e.org/a_b_c', 'https://e.org/a_b_c']].map(([href, text]) => `<a href="${href}" target="_blank" rel="noopener noreferrer nofollow">${text}</a>`).join(' ') + '.</p>'],
  ['[a](javascript:x) [b](//e.org) [c]( https://e.org "t" ) [d] [e](', '<p><span>a</span> <span>b</span> <a href="https://e.org" target="_blank" rel="noopener noreferrer nofollow">c</a> [d] [e](</p>'],
  ['see [1] and [2, 3]', '<p>see [1] and [2, 3]</p>'],
  ['<b>a</b> &amp; <!-- c -->', '<p>&lt;b&gt;a&lt;/b&gt; &amp;amp; &lt;!-- c --&gt;</p>'],
];

test('what rows and titles say is text in a chart, as drawn and as an SVG by itself', async () => {
  for (const evil of ['<img src=x onerror="window.pwned=1">', '</text><script>window.pwned=1</script>', '"><svg onload="window.pwned=1">', ']]><a href="javascript:window.pwned=1">x</a>', '&lt;b&gt;&#60;i&#62;', '<foreignObject><iframe srcdoc="x"></iframe></foreignObject>', '\u202e\u0000\ud800'])
    for (const type of ['bar', 'line', 'area', 'pie', 'doughnut', 'scatter', 'histogram', 'metric']) {
      const seen = await inPage('chart_draw.js', async ({ drawChart }, { evil, type }) => {
        const [{ chartView }, { chartData }] = await Promise.all(['chart_view.js', 'chart_data.js'].map(name => import(new URL(name, document.querySelector('script[src]').src))));
        const many = Array.from({ length: 12 }, (_, i) => i), isCloud = type === 'scatter';
        const chart = { type, title: evil, x: isCloud ? 'n' : evil, y: ['n'] }, data = { columns: [evil, 'n'], rows: many.map(i => [`${evil}${i}`, i]) };
        const view = chartView(chart, data);
        document.body.append(view ?? '');
        const found = chartData(chart, data), drawing = found && type !== 'metric' && drawChart(type, chart, found, 600);
        await new Promise(resolve => setTimeout(resolve, 0));
        const elements = [...document.querySelectorAll('.chart, .chart *')];
        view?.remove();
        return { pwned: window.pwned ?? null, text: drawing ? new XMLSerializer().serializeToString(drawing) : '<svg/>',
          bad: elements.filter(one => /^(img|script|iframe|foreignObject|a|b|i)$/i.test(one.localName) || [...one.attributes].some(({ name }) => name.startsWith('on'))).map(one => one.outerHTML) };
      }, { evil, type });
      assert.deepEqual([seen.pwned, seen.bad], [null, []], `${type} ${JSON.stringify(evil)}`);
      for (const [, name] of seen.text.matchAll(/<\/?([a-zA-Z]+)/g))
        assert.match(name, /^(svg|g|path|rect|line|polyline|polygon|circle|text|tspan|title)$/, seen.text);
      assert.doesNotMatch(seen.text.replace(/"[^"]*"/g, '""').replace(/>[^<]*</g, '><'), /\son\w+=|javascript:/);
    }
});

test('sources are numbered in the order of the text', async () => {
  const shown = await inPage('sources.js', ({ inOrder }, text) => inOrder(text, [1, 4, 6, 9].map(number => ({ number }))).map(one => [one.number, one.shown]), 'a [6] b [4, 6] c [9] d [2]');
  assert.deepEqual(shown, [[6, 1], [4, 2], [9, 3], [1, 4]]);
});

test('the end is followed until somebody scrolls up; what is unfolded in the newest turn is read from its head', async () => {
  const seen = await inPage('following.js', async ({ followEnd }) => {
    const make = (name, height) => Object.assign(document.createElement(name), { tabIndex: 0, style: `display: flow-root; height: ${height}px` });
    const drawn = async () => {
      for (let frames = 0; frames < 3; frames++)
        await new Promise(resolve => requestAnimationFrame(resolve));
    };
    const scroll = make('div', 200), content = make('div', 0), said = [];
    scroll.style.overflow = 'auto';
    content.style.height = 'auto';
    scroll.append(content);
    document.body.append(scroll);
    const { toEnd } = followEnd(scroll, content, follows => said.push(follows)), places = [];
    const grow = async height => {
      content.append(make('article', height));
      await drawn();
      places.push(scroll.scrollTop);
    };
    await grow(500);
    await grow(500);
    scroll.scrollTop = 100;
    await drawn();
    await grow(500);
    toEnd();
    await drawn();
    await grow(500);
    const head = make('button', 40);
    content.lastChild.append(head); // 500 high as before: at its top, and above the view
    scroll.scrollTop = 1790;
    head.style.marginTop = '350px';
    head.focus({ preventScroll: true });
    await drawn();
    content.lastChild.style.height = '2000px';
    await drawn();
    places.push(head.getBoundingClientRect().top - scroll.getBoundingClientRect().top);
    scroll.remove();
    return { places, said: said.at(-1) };
  });
  assert.deepEqual(seen.places, [300, 800, 100, 1800, 8]);
});

test('Markdown', async () => {
  for (const [text, html] of MARKDOWN)
    assert.equal(await asHtml(text), html, text);
  assert.match(await asHtml('| a | b |\n|---|--:|\n| 1 | `x|y` |\n| 2 \\| 3 |\n\nend'),
    /<th scope="col">a<\/th><th class="align-end" scope="col">b<\/th>.*<td>1<\/td><td class="align-end"><code>x\|y<\/code><\/td>.*<td>2 \| 3<\/td><td class="align-end"><\/td>.*<p>end<\/p>$/);
  assert.match(await asHtml('```js\n<script>\n```\nafter'), /<code>&lt;script&gt;<\/code><\/pre><\/div><p>after<\/p>$/);
  assert.match(await asHtml('~~~\nopen'), /<code>open<\/code>/);
  assert.match(await asHtml('$$\n\\unknown{a}\n$$\nafter'), /<code>\\unknown\{a\}<\/code><\/pre><p>after<\/p>$/, 'what is more than this stays as it is');
  assert.match(await asHtml('$$\\frac{1,044 - 820}{820} \\times 100\\% = 27.32\\%$$'), /<math display="block"><mrow><mfrac><mrow><mn>1,044<\/mn><mo>-<\/mo><mn>820<\/mn><\/mrow><mrow><mn>820<\/mn><\/mrow><\/mfrac><mo>×<\/mo><mn>100<\/mn><mo>%<\/mo><mo>=<\/mo><mn>27.32<\/mn><mo>%<\/mo><\/mrow><\/math>/);
});

test('text that grows by a character at a time ends as text that came at once', async () => {
  const text = MARKDOWN.map(([one]) => one).join('\n\n') + '\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sql\nSELECT 1\n```\n\n$$x$$\n\nend 😀';
  const [grown, whole] = await inPage('markdown_view.js', ({ MarkdownView }, given) => [1, given.length].map(step => {
    const view = new MarkdownView();
    for (let end = step; end < given.length + step; end += step)
      view.update(given.slice(0, end));
    return view.element.innerHTML;
  }), text);
  assert.equal(grown, whole);
});

test('Markdown that is made to be slow is not', async () => {
  const many = ['[', '*', '**a ', '_a ', '`', '$a ', '> ', '- ', '[a](', '![', '<http://', '| ', '\\(', '~~a', '***a*', '#', 'https://', '[1', '\n- a\n  ', '`` ` '];
  const sizes = await inPage('markdown.js', ({ parseMarkdown }, given) =>
    given.map(one => JSON.stringify(parseMarkdown(one.repeat(32768 / one.length))).length), many);
  assert.equal(sizes.length, many.length);
});

test('a long statement in lines: only blanks change, and the inside of functions and of texts does not', async () => {
  const lay = text => inPage('sql_view.js', ({ layOutSql }, given) => layOutSql(given), text);
  assert.equal(await lay('SELECT a FROM t WHERE b = 1'), 'SELECT a FROM t WHERE b = 1');
  assert.equal(await lay("SELECT a.x, EXTRACT(YEAR FROM a.day) FROM (SELECT * FROM t WHERE s = 'x  FROM y') AS a LEFT JOIN b ON b.id = a.id WHERE a.x IN (1, 2) ORDER BY 1 LIMIT 5"),
    "SELECT a.x, EXTRACT(YEAR FROM a.day)\nFROM (\n  SELECT *\n  FROM t\n  WHERE s = 'x  FROM y'\n) AS a\nLEFT JOIN b ON b.id = a.id\nWHERE a.x IN (1, 2)\nORDER BY 1\nLIMIT 5");
  const commented = `SELECT a -- FROM here\nFROM t ${'WHERE b = 1 '.repeat(9)}`;
  assert.equal(await lay(commented), commented.trim());
  for (const broken of ["SELECT 'open", 'SELECT "open', 'SELECT /* open', ')))', '((((SELECT', '', 'x'.repeat(300)])
    assert.equal((await lay(broken)).replace(/\s/g, ''), broken.replace(/\s/g, ''));
});

test('why: statements of several queries; none that is cut somewhere breaks it', async () => {
  const told = [
    ['SELECT a.name FROM customer AS a JOIN workOrder b ON a.id = b.customerId WHERE b.n > 1 ORDER BY a.name LIMIT 5', 'names of customers',
      'It understood “names” as name, “customers” as customer. It read customer, joined with workOrder where customer.id = workOrder.customerId; only rows where workOrder.n > 1; ordered by customer.name; at most 5 of them.'],
    ["WITH recent AS (SELECT customerId FROM workOrder WHERE day > '2025-01-01'), big(id, n) AS MATERIALIZED (SELECT customerId, COUNT(*) FROM recent GROUP BY customerId) SELECT c.name FROM customer c JOIN big ON big.id = c.id", 'work orders of customers',
      'It understood “work orders” as workOrder, “customers” as customer. For “recent” it read workOrder; only rows where day > \'2025-01-01\'. For “big” it read recent; in groups by customerId. It read customer, joined with big where big.id = customer.id.'],
    ['SELECT id FROM a UNION ALL SELECT id FROM b WHERE x = (SELECT 1 FROM z UNION SELECT 2) ORDER BY 1 LIMIT 3', '',
      'It read a. Together with that, it read b; only rows where x = (SELECT 1 FROM z UNION SELECT 2); ordered by 1; at most 3 of them.'],
    ['(SELECT id FROM a) EXCEPT (SELECT id FROM b) INTERSECT SELECT id FROM c', '', 'It read a. Without what is in this: it read b. Of these only what is in this, too: it read c.'],
    ['SELECT q.n FROM (SELECT COUNT(*) AS n FROM orders o WHERE o.x = 1) AS q WHERE q.n > 2', '', 'For “q” it read orders; only rows where orders.x = 1. It read q; only rows where q.n > 2.'],
    ['SELECT 1', '', null],
  ];
  for (const [sql, question, sentence] of told)
    assert.equal(await inPage('why.js', ({ whyText }, [one, asked]) => whyText(one, asked), [sql, question]), sentence);
  const cut = told.flatMap(([sql]) => [...sql].map((_, i) => sql.slice(0, i)));
  assert.equal((await inPage('why.js', ({ whyText }, all) => all.map(one => whyText(one)), cut)).length, cut.length);
});

test('CSV: RFC 4180, and no formulas', async () => {
  const csv = await inPage('csv.js', ({ toCsv }, [columns, rows]) => toCsv(columns, rows), [['a', 'b"c'],
    [['x,y', 'line\nbreak'], [null, -5], ['-5', '+49 (30) 123-4'], ['=1+1', '@x'], ['-1+1|cmd', { k: 1 }]]]);
  assert.equal(csv, 'a,"b""c"\r\n"x,y","line\nbreak"\r\n,-5\r\n-5,+49 (30) 123-4\r\n\'=1+1,\'@x\r\n\'-1+1|cmd,"{""k"":1}"\r\n');
});

test('every graph of the server is laid out: no node over another, no edge without its ends', async () => {
  const { graphs } = await (await askd.fetch('/internal/graphs')).json();
  for (const { name } of graphs) {
    const definition = await (await askd.fetch(`/internal/graphs/${name}`)).json();
    const { nodes, edges, width } = await inPage('graph_layout.js', ({ layOutGraph }, given) => {
      const { nodes, edges, width } = layOutGraph(given);
      return { width, nodes: nodes.map(({ name, x, y, width }) => ({ name, x, y, width })), edges };
    }, definition);
    assert.equal(nodes.length, definition.nodes.length + 2, name);
    for (const [i, a] of nodes.entries()) {
      assert.ok(a.x - a.width / 2 >= -0.01 && a.x + a.width / 2 <= width + 0.01, `${name}: ${a.name}`);
      for (const b of nodes.slice(i + 1))
        assert.ok(a.y !== b.y || Math.abs(a.x - b.x) >= (a.width + b.width) / 2, `${name}: ${a.name} over ${b.name}`);
    }
    for (const { from, to, path, isBack } of edges) {
      const [a, b] = [from, to].map(end => nodes.find(node => node.name === end));
      assert.ok(a && b && path.startsWith('M') && !path.includes('NaN'), `${name}: ${from} -> ${to}`);
      assert.ok(isBack || a.y < b.y, `${name}: ${from} -> ${to} leads up`);
    }
    const pairs = new Set(definition.edges.map(({ from, to }) => `${from} ${to}`));
    assert.equal(edges.length, pairs.size, name);
  }
});

test('an event stream cut at every byte', async () => {
  const text = ': ok\nid: r:1\ndata: {"a":"ü😀"}\n\n: hb\nid: r:2\r\ndata: {"n":12345678901234567890,"m":1.5}\r\n\r\ndata: {"cut":';
  const lists = await inPage('sse.js', async ({ readFrames }, given) => {
    const bytes = new TextEncoder().encode(given), lists = new Set();
    for (let cut = 0; cut <= bytes.length; cut++) {
      const body = new ReadableStream({
        start(stream) {
          for (const part of [bytes.slice(0, cut), bytes.slice(cut)])
            stream.enqueue(part);
          stream.close();
        },
      });
      const frames = [];
      for await (const frame of readFrames(body, () => {}))
        frames.push(frame);
      lists.add(JSON.stringify(frames));
    }
    return [...lists];
  }, text);
  assert.deepEqual(lists.map(JSON.parse), [[{ id: 'r:1', data: { a: 'ü😀' } }, { id: 'r:2', data: { n: '12345678901234567890', m: 1.5 } }]]);
});

test('each question to begin with is answered with rows', async () => {
  const { examples, database, model, features } = await (await askd.fetch('/internal/about')).json();
  assert.equal(examples.length, 4);
  assert.equal(new Set(examples).size, 4);
  assert.equal(database.kind, 'sqlite');
  assert.equal(model, 'offline');
  assert.ok(Array.isArray(features));
  for (const example of examples) {
    await page.find('#new-conversation').click();
    await page.page.getByRole('button', { name: example }).click();
    await page.comesTo('done');
    await page.tab('Rows').click();
    assert.ok(await page.turn.locator('tbody tr').count() > 1, example);
  }
});
