// Office equations (ISO/IEC 29500-1, 22.1) -> one line of text, as a person would type them: (a+b)/2, x^2, √(y), ∑_(i=1)^n.
//
// Rule: every drawn character is kept once and in the order it is read; text of tracked changes inside goes through `text`, which knows the view.
import { child, children, type XmlNode } from './xml.ts';

/** Text of a run, or of a change with runs inside; '' where it does not stand in the view. */
export type MathText = (node: XmlNode) => string;

export function linearMath(node: XmlNode, text: MathText): string {
  const part = (name: string): string => inner(child(node, name), text);
  const property = (properties: string, name: string): string | undefined => child(child(node, properties), name)?.attributes['m:val'];
  switch (node.name) {
    case 'm:f':
      return property('m:fPr', 'm:type') === 'noBar' ? `(${part('m:num')}¦${part('m:den')})` : `${group(part('m:num'))}/${group(part('m:den'))}`;
    case 'm:sSup':
      return `${part('m:e')}^${group(part('m:sup'))}`;
    case 'm:sSub':
      return `${part('m:e')}_${group(part('m:sub'))}`;
    case 'm:sSubSup':
      return `${part('m:e')}_${group(part('m:sub'))}^${group(part('m:sup'))}`;
    case 'm:sPre':
      return `_${group(part('m:sub'))}^${group(part('m:sup'))}${part('m:e')}`;
    case 'm:rad':
      return `${part('m:deg')}√(${part('m:e')})`;
    case 'm:nary':
      return `${property('m:naryPr', 'm:chr') ?? '∫'}${limit('_', part('m:sub'))}${limit('^', part('m:sup'))} ${part('m:e')}`;
    case 'm:limLow':
      return `${part('m:e')}_${group(part('m:lim'))}`;
    case 'm:limUpp':
      return `${part('m:e')}^${group(part('m:lim'))}`;
    case 'm:d':
      return `${property('m:dPr', 'm:begChr') ?? '('}${entries(node, text).join(property('m:dPr', 'm:sepChr') ?? '|')}${property('m:dPr', 'm:endChr') ?? ')'}`;
    case 'm:m':
      return `[${children(node, 'm:mr')
        .map((row) => entries(row, text).join(', '))
        .join('; ')}]`;
    case 'm:acc':
      return part('m:e') + (property('m:accPr', 'm:chr') ?? '̂');
    case 'm:r':
    case 'w:ins':
    case 'w:del':
    case 'w:moveFrom':
    case 'w:moveTo':
      return text(node);
    default:
      return inner(node, text);
  }
}

function entries(node: XmlNode, text: MathText): string[] {
  return children(node, 'm:e').map((entry) => inner(entry, text));
}

function inner(node: XmlNode | undefined, text: MathText): string {
  return (node?.children ?? [])
    .filter((entry) => !entry.name.endsWith('Pr'))
    .map((entry) => linearMath(entry, text))
    .join('');
}

function group(text: string): string {
  return /^[\p{L}\p{N}.]*$/u.test(text) ? text : `(${text})`;
}

function limit(sign: string, text: string): string {
  return text === '' ? '' : sign + group(text);
}
