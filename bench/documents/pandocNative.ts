// Pandoc's native format (a Haskell value printed by `show`) -> a plain tree, for the goldens of its DOCX reader.
//
// Owns: the grammar of constructors, lists, tuples and strings; text and lists as the tests need them. Knows nothing of DOCX.

export type Native = string | number | readonly Native[] | { readonly name: string; readonly args: readonly Native[] };

const TOKEN = /"((?:[^"\\]|\\[\s\S])*)"|(-?\d+(?:\.\d+)?)|([A-Z][\w.]*)|([[\](),{}=])|([a-z]\w*)/g;

export function parseNative(source: string): Native {
  const tokens = [...source.matchAll(TOKEN)];
  let at = 0;
  const isSign = (sign: string): boolean => tokens[at]?.[4] === sign;
  const sequence = (close: string): Native[] => {
    const items: Native[] = [];
    at++;
    while (at < tokens.length && !isSign(close)) {
      if (isSign(',')) at++;
      else items.push(expression());
    }
    at++;
    return items;
  };
  const startsArgument = (): boolean => {
    const token = tokens[at];
    return token !== undefined && (token[4] === undefined ? token[5] === undefined : /[[({]/.test(token[4]));
  };
  const atom = (withArguments: boolean): Native => {
    const token = tokens[at];
    if (isSign('[')) return sequence(']');
    if (isSign('(')) {
      const items = sequence(')');
      return items.length === 1 ? (items[0] as Native) : items;
    }
    if (isSign('{')) return sequence('}');
    at++;
    if (token?.[1] !== undefined) return unescape(token[1]);
    if (token?.[2] !== undefined) return Number(token[2]);
    const args: Native[] = [];
    if (withArguments) while (startsArgument()) args.push(atom(false));
    return { name: token?.[3] ?? '', args };
  };
  const expression = (): Native => atom(true);
  const top: Native[] = [];
  while (at < tokens.length) top.push(expression());
  return top;
}

/** Haskell's numeric escapes (\8220) and the empty one between a number and a digit (\&). */
function unescape(text: string): string {
  return text.replace(/\\(\d+|.)/g, (_whole, code: string) =>
    /\d/.test(code) ? String.fromCodePoint(Number(code)) : code === '&' ? '' : code === 'n' ? '\n' : code,
  );
}

export function isNode(value: Native, name: string): value is { readonly name: string; readonly args: readonly Native[] } {
  return typeof value === 'object' && 'name' in value && value.name === name;
}

export function childrenOf(value: Native): readonly Native[] {
  if (typeof value !== 'object') return [];
  return 'name' in value ? value.args : value;
}

function stringOf(value: Native | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Plain text of inlines: words, with a space for every kind of break. */
export function textOf(value: Native): string {
  if (isNode(value, 'Str')) return stringOf(value.args[0]);
  if (isNode(value, 'Space') || isNode(value, 'SoftBreak') || isNode(value, 'LineBreak')) return ' ';
  if (isNode(value, 'Span') || isNode(value, 'Link')) return textOf(value.args[1] ?? []);
  if (isNode(value, 'Note') || isNode(value, 'Image')) return '';
  return childrenOf(value).map(textOf).join('');
}

/** All nodes of these names, outermost first, without what lies inside them. */
export function findAll(value: Native, names: readonly string[]): { readonly name: string; readonly args: readonly Native[] }[] {
  const found = names.find((name) => isNode(value, name));
  if (found !== undefined && isNode(value, found)) return [value];
  return childrenOf(value).flatMap((entry) => findAll(entry, names));
}

type Node = Extract<Native, { readonly name: string }>;

/** Classes of a Span or Div: its first argument is (identifier, classes, key-value pairs). */
export function classesOf(node: Node): readonly Native[] {
  return childrenOf(childrenOf(node.args[0] ?? [])[1] ?? []);
}

export function attributeOf(node: Node, name: string): string {
  const pairs = childrenOf(childrenOf(node.args[0] ?? [])[2] ?? []);
  return stringOf(childrenOf(pairs.find((pair) => childrenOf(pair)[0] === name) ?? [])[1]);
}
