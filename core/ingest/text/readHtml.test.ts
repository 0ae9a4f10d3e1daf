// Lists, tables, styles and encodings of HTML pages as a browser shows them.
import { describe, expect, it } from 'vitest';
import { Watch } from '../limits.ts';
import type { RawContent } from '../raw.ts';
import { readHtml } from './readHtml.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (html: string, view: 'accepted' | 'original' | 'both' = 'accepted'): RawContent => readHtml(encode(html), 'test.html', view, new Watch({}));
const texts = (html: string): readonly string[] => read(html).blocks.map((block) => block.text);

/** Processor time, which other work on the machine does not lengthen. */
function secondsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

describe('HTML', () => {
  it('reads headings with their level and paragraphs with one space between words', () => {
    const { blocks } = read('<!doctype html><h1>Terms</h1><p>One\n   <b>two</b>\tthree&nbsp;four</p><div>five<p>six</div>seven');
    expect(blocks.map((block) => [block.kind, block.level, block.text])).toEqual([
      ['heading', 1, 'Terms'],
      ['paragraph', null, 'One two three four'],
      ['paragraph', null, 'five'],
      ['paragraph', null, 'six'],
      ['paragraph', null, 'seven'],
    ]);
  });

  it('marks what is emphasised', () => {
    const content = read('<p>The <strong>“Effective Date”</strong> is <span style="font-weight:700">today</span>.</p>');
    expect(content.emphasis.get('b0')).toEqual([
      { start: 4, end: 20 },
      { start: 24, end: 29 },
    ]);
  });

  it('numbers ordered lists by start, type, value and reversed', () => {
    expect(texts('<ol start="3"><li>c<li>d</ol>')).toEqual(['3. c', '4. d']);
    expect(texts('<ol type="a"><li>x<li value="27">y</ol>')).toEqual(['a. x', 'aa. y']);
    expect(texts('<ol type="I"><li>x<ol type="i"><li>y</ol><li>z</ol>')).toEqual(['I. x', 'i. y', 'II. z']);
    expect(texts('<ol reversed><li>x<li>y<li>z</ol>')).toEqual(['3. x', '2. y', '1. z']);
    expect(texts('<ol style="list-style-type: upper-alpha"><li>x</ol>')).toEqual(['A. x']);
  });

  it('fault: a number that only the browser shows is lost', () => {
    const { blocks, listLevel } = read('<ol><li><p>Term</p><p>It lasts.</p><ol type="a"><li>long</ol></li><li>Law</ol>');
    expect(blocks.map((block) => [block.number, block.text])).toEqual([
      ['1', '1. Term'],
      [null, 'It lasts.'],
      ['a', 'a. long'],
      ['2', '2. Law'],
    ]);
    expect(listLevel?.get('b2')).toBe(1);
  });

  it('numbers nested lists by CSS counters as "1.1"', () => {
    const css = '<style>ol{list-style:none;counter-reset:i} li::before{counter-increment:i;content:counters(i,".") " "}</style>';
    expect(texts(`${css}<ol><li>Term<ol><li>Start<li>End</ol><li>Law</ol>`)).toEqual(['1. Term', '1.1. Start', '1.2. End', '2. Law']);
  });

  it('keeps one number where the author typed it as well', () => {
    expect(texts('<ol><li>1. Term<li>2. Law</ol>')).toEqual(['1. Term', '2. Law']);
  });

  it('gives tables their spans and headers', () => {
    const { blocks, tables } = read(
      '<table><caption>Fees</caption><tr><th>Item<th colspan=2>Price</tr><tr><td rowspan=2>Seat<td>EUR<td>5</tr><tr><td>USD<td>6</tr></table>',
    );
    expect(tables).toEqual([{ id: 't0', rows: 3, columns: 3, places: [{ page: 0, box: null }], captionId: 'b0' }]);
    expect(blocks.slice(1).map(({ text, cell }) => [text, cell?.row, cell?.column, cell?.rowSpan, cell?.columnSpan, cell?.header])).toEqual([
      ['Item', 0, 0, 1, 1, true],
      ['Price', 0, 1, 1, 2, true],
      ['Seat', 1, 0, 2, 1, false],
      ['EUR', 1, 1, 1, 1, false],
      ['5', 1, 2, 1, 1, false],
      ['USD', 2, 1, 1, 1, false],
      ['6', 2, 2, 1, 1, false],
    ]);
  });

  it('sets cells beside those of rows above, however far these reach', () => {
    const { blocks } = read('<table><tr><th>A<td rowspan=9 colspan=2>B<td>C</tr><tr><td>D<td>E</tr><tr><td rowspan=0>F<td>G</tr></table>');
    expect(blocks.map(({ text, cell }) => [text, cell?.row, cell?.column, cell?.rowSpan])).toEqual([
      ['A', 0, 0, 1],
      ['B', 0, 1, 3],
      ['C', 0, 2, 1],
      ['D', 1, 0, 1],
      ['E', 1, 2, 1],
      ['F', 2, 0, 1],
      ['G', 2, 2, 1],
    ]);
  });

  it('fault: spans that ask for millions of cells hold the reader up', () => {
    const wide = `<table>${'<tr><td colspan=1000 rowspan=65534>x'.repeat(80)}</table>`;
    expect(secondsOf(() => expect(read(wide).tables?.[0]).toMatchObject({ rows: 80, columns: 80 }))).toBeLessThan(2);
    expect(() => read(`<table>${'<tr><td rowspan=65534>x'.repeat(3000)}</table>`)).toThrow(/at most 1000 cells of a table/);
    const long = `<table><tr><th>a<th>b<th>c${'<tr><td>x<td>y<td>z'.repeat(16_000)}</table>`;
    expect(secondsOf(() => expect(read(long).tables?.[0]).toMatchObject({ rows: 16_001, columns: 3 }))).toBeLessThan(6);
  });

  it('fault: a clause that was set as a table of number and text falls into cells', () => {
    const { blocks, tables } = read('<table><tr><td>1.1</td><td>&nbsp;</td><td><b>Term.</b> One year.</td></tr></table><table><tr><td>(a)<td>renewal</table>');
    expect(tables).toEqual([]);
    expect(blocks.map((block) => [block.number, block.text])).toEqual([
      ['1.1', '1.1 Term. One year.'],
      ['(a)', '(a) renewal'],
    ]);
  });

  it('fault: text that a style hides is read as live text', () => {
    const { blocks } = read(
      '<style>.x{display:none} @media print{.y{display:none}}</style><p>seen<span class=x> secret</span></p><p class=y>also seen</p><p style="color:#fff">white</p><div style="background:#000"><p style="color:#fff">on black</p></div><p style="font-size:0">zero</p>',
    );
    expect(blocks.map((block) => [block.text, block.hidden])).toEqual([
      ['seen', null],
      ['secret', 'invisible'],
      ['also seen', null],
      ['white', 'white'],
      ['on black', null],
      ['zero', 'tiny'],
    ]);
  });

  it('fault: text hidden in a less usual notation is read as live text', () => {
    const hiddenBy = (style: string): unknown => read(`<p>seen</p><p style="${style}">x</p>`).blocks[1]?.hidden;
    expect(['opacity:0%', 'opacity:.0', 'color:rgba(0,0,0,0)', 'color:rgb(0 0 0 / 0%)', 'color:#0000', 'color:hsla(0, 0%, 0%, 0.0)'].map(hiddenBy)).toEqual(
      Array(6).fill('invisible'),
    );
    expect(['font-size:0em', 'font-size:.5px', 'font-size:0%', 'font-size:.1em', 'font-size:1pt'].map(hiddenBy)).toEqual(Array(5).fill('tiny'));
    expect(['color:rgb(255 255 255)', 'color:#ffffffff', 'color:hsl(0, 0%, 100%)'].map(hiddenBy)).toEqual(Array(3).fill('white'));
    expect(['opacity:.5', 'opacity:50%', 'color:rgb(0,0,0)', 'color:#100', 'font-size:1em', 'font-size:0.8rem', 'font-size:12px'].map(hiddenBy)).toEqual(
      Array(7).fill(null),
    );
  });

  it('fault: white text is judged by a background it does not stand on', () => {
    const hidden = (html: string): unknown => read(`<p>seen</p>${html}`).blocks[1]?.hidden;
    expect(hidden('<div style="background:#000;color:white"><p style="background:#fff">x</p></div>')).toBe('white');
    expect(hidden('<div style="background:#000;color:white"><p style="background:transparent">x</p></div>')).toBe(null);
    expect(hidden('<div style="color:white"><p style="background:navy">x</p></div>')).toBe(null);
    expect(hidden('<div style="color:white"><p style="color:#333">x</p></div>')).toBe(null);
    expect(hidden('<p style="color:white;background:#fff none">x</p>')).toBe('white');
    expect(hidden('<p style="color:white;background:url(dark.png)">x</p>')).toBe(null);
  });

  it('shows text that has a size of its own inside a parent without one', () => {
    const { blocks } = read('<div style="font-size:0"><p style="font-size:14px">shown</p><p style="font-size:2em">not</p></div>');
    expect(blocks.map((block) => [block.text, block.hidden])).toEqual([
      ['shown', null],
      ['not', 'tiny'],
    ]);
  });

  it('fault: struck-out text is read as being in force', () => {
    const html = '<p>within <del datetime="2024-05-01">thirty (30)</del><ins>sixty (60)</ins> days</p>';
    expect(read(html).blocks[0]?.text).toBe('within sixty (60) days');
    expect(read(html, 'original').blocks[0]?.text).toBe('within thirty (30) days');
    expect(read(html).revisions).toMatchObject([
      { kind: 'delete', date: '2024-05-01', text: 'thirty (30)', span: { blockId: 'b0', start: 7, end: 7 } },
      { kind: 'insert', text: 'sixty (60)', span: { blockId: 'b0', start: 7, end: 17 } },
    ]);
    expect(texts('<p>a <s>b</s> <span style="text-decoration: line-through">c</span> d</p>')).toEqual(['a d']);
  });

  it('drops scripts and templates, opens entities, keeps what forms say', () => {
    expect(texts('<script>var a="<p>no</p>"</script><template><p>no</template><p>A &amp; B &sect;&#8239;5 &copy</p><noscript>no</noscript>')).toEqual([
      'A & B § 5 ©',
    ]);
    expect(texts('<p>Name: <input value="Acme"> <input type=checkbox checked>yes <input type=hidden value=no></p>')).toEqual(['Name: Acme ☒ yes']);
  });

  it('fault: a footnote mark runs into the number before it', () => {
    expect(texts('<p>Section 5<sup>1</sup> and 10<sup>6</sup></p>')).toEqual(['Section 5¹ and 10⁶']);
  });

  it('ends a paragraph at two breaks and at a break before a number', () => {
    expect(texts('<p>1. One<br>goes on<br><br>apart<br>2. Two</p>')).toEqual(['1. One goes on', 'apart', '2. Two']);
  });

  it('fault: two breaks inside bold text do not end the paragraph', () => {
    expect(texts('<b>one<br><br>two</b>')).toEqual(['one', 'two']);
    expect(texts('<b>one<br>two</b> <br> three <br> <br> <i>four</i>')).toEqual(['one two three', 'four']);
  });

  it('fault: thousands of lines with breaks hold the reader up', () => {
    const page = `<p>${'<b>Some words</b> of a line that goes on.<br>'.repeat(8000)}</p>`;
    expect(secondsOf(() => expect(texts(page)[0]?.length).toBe(8000 * 35 - 1))).toBeLessThan(4);
  });

  it('fault: comments of a style sheet that nothing closes hold the reader up', () => {
    const page = `<style>.x{display:none}${'/*'.repeat(100_000)} .seen{display:none}</style><p class=x>x</p><p class=seen>seen</p>`;
    expect(secondsOf(() => expect(read(page).blocks.map((block) => block.hidden)).toEqual(['invisible', null]))).toBeLessThan(2);
  });

  it('reads preformatted text line by line', () => {
    expect(texts('<pre>AGREEMENT\n\n1.  Term. This lasts\n    one year.\n\n2.  Law.</pre>')).toEqual(['AGREEMENT', '1. Term. This lasts one year.', '2. Law.']);
  });

  it('fault: hidden text inside preformatted text is read as live text', () => {
    const { blocks } = read('<pre>The fee is <b>due</b>.<span style="display:none"> Ignore it.</span>\n</pre><p>next</p>');
    expect(blocks.map((block) => [block.text, block.hidden])).toEqual([
      ['The fee is due.', null],
      ['Ignore it.', 'invisible'],
      ['next', null],
    ]);
  });

  it('believes valid UTF-8, then the declared encoding, then the bytes', () => {
    const german = new Uint8Array([...encode('<meta charset="iso-8859-15"><p>Gr'), 0xf6, 0xdf, ...encode('e 5 '), 0xa4]);
    expect(readHtml(german, 'x', 'accepted', new Watch({})).blocks[0]?.text).toBe('Größe 5 €');
    expect(texts('<meta charset="iso-8859-1"><p>Größe</p>')).toEqual(['Größe']);
    const chinese = new Uint8Array([...encode('<meta http-equiv=Content-Type content="text/html; charset=gb2312"><p>'), 0xba, 0xcf, 0xcd, 0xac]);
    expect(readHtml(chinese, 'x', 'accepted', new Watch({})).blocks[0]?.text).toBe('合同');
  });

  it('says so when a page shows nothing without its scripts, and refuses to nest without end', () => {
    expect(() => read('<div id=root></div><script>render()</script>')).toThrow(/shows none/);
    expect(() => read('<div>'.repeat(2000))).toThrow(/at most 512 deep/);
  });
});
