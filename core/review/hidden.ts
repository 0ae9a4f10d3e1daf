// What a reader of the page does not see, and what is addressed to a machine that reads it: hidden text, instructions to a model, invisible characters.
//
// Rule: instructions are searched everywhere, hidden text and comments included; nothing of them is obeyed, they are shown.
import type { Block, Document } from '../contract/document.ts';
import type { Draft, Place, Rule } from './context.ts';

const WAYS: Readonly<Record<NonNullable<Block['hidden']>, string>> = {
  invisible: 'drawn without ink',
  white: 'drawn in the colour of the paper',
  tiny: 'too small to be read',
  offPage: 'outside of the page',
  covered: 'covered by something else',
  vanish: 'formatted as hidden',
};
/** Share of all text from which invisible text is the text layer of a scan, which is there to be searched. */
const SCAN_LAYER = 0.5;

export const hiddenTexts: Rule = ({ document }) => {
  const length = (blocks: readonly Block[]): number => blocks.reduce((sum, { text }) => sum + text.length, 0);
  const invisible = document.blocks.filter(({ hidden }) => hidden === 'invisible');
  const scan = length(invisible) > SCAN_LAYER * length(document.blocks);
  const drafts: Draft[] = [];
  let last: Block | null = null;
  for (const block of document.blocks) {
    const told = block.hidden !== null && !(scan && block.hidden === 'invisible') && /[\p{L}\p{N}]{2}/u.test(block.text);
    // A run of hidden blocks is one finding, at its first.
    if (told && block.hidden !== last?.hidden)
      drafts.push({
        rule: 'hidden-text',
        severity: 'warning',
        message: `A reader does not see this text: it is ${WAYS[block.hidden ?? 'invisible']}. Was it meant to be here?`,
        blockId: block.id,
        start: 0,
        end: block.text.length,
      });
    last = told ? block : null;
  }
  return drafts;
};

const BEFORE = String.raw`(?:^|[.!?:;"“'‘(\[*>—–-]\s*|\b(?:please|now|must|should|and|then|to)\s+)`;
const MACHINE = String.raw`(?:ai|a\.i\.|llm|language model|chat ?bot|chatgpt|gpt(?:-\d)?|claude|gemini|copilot|virtual assistant|ai assistant|ai model|ai system|ai agent|automated (?:reviewer|reader|agent))`;
const DOCUMENT = String.raw`(?:this|the|these)\s+(?:document|contract|agreement|file|text|page|terms)`;
/** Each says to a machine what it shall do; sentences to people do not have these forms. */
const INSTRUCTIONS: readonly RegExp[] = [
  new RegExp(
    String.raw`${BEFORE}(?:ignore|disregard|forget|override|bypass|do not follow)\s+(?:(?:any|all|every|the|your|of|these|those|my)\s+){0,3}(?:previous|prior|above|earlier|preceding|foregoing|existing|other|initial|original)\s+(?:\w+\s+)?(?:instructions?|prompts?|directions?|directives|commands?|messages?|context|guidelines|rules)\b`,
    'giu',
  ),
  new RegExp(
    String.raw`\b(?:ignore|disregard|forget|override|reveal|print|repeat)\s+(?:your|the|all)\s+(?:system|developer|hidden)\s+(?:prompt|message|instructions?)\b`,
    'giu',
  ),
  new RegExp(
    String.raw`\b(?:you are|you're|act as|pretend (?:to be|you are)|behave as)\s+(?:now\s+)?(?:an?|the)\s+(?:helpful\s+|honest\s+|unrestricted\s+)?${MACHINE}\b`,
    'giu',
  ),
  new RegExp(String.raw`\bas an?\s+${MACHINE},?\s+(?:you\s+)?(?:must|should|shall|will|need|are)\b`, 'giu'),
  new RegExp(String.raw`\b(?:if|when|since)\s+you\s+(?:are|'re)\s+(?:an?\s+)?${MACHINE}\b`, 'giu'),
  new RegExp(String.raw`\b(?:note|attention|instructions?|message|notice)\s+(?:to|for)\s+(?:any|all|the)?\s*${MACHINE}s?\b`, 'giu'),
  new RegExp(
    String.raw`\b(?:when|while|if)\s+(?:you\s+(?:are\s+)?)?(?:asked\s+(?:about|to)|summari[sz](?:e|ing)|review(?:ing)?|analy[sz](?:e|ing)|process(?:ing)?|answering)\s+(?:questions\s+about\s+|to\s+\w+\s+)?${DOCUMENT},?\s+(?:always\s+|only\s+|you\s+(?:must|should|will)\s+)?(?:say|state|respond|reply|answer|report|tell|output|write|conclude|recommend|do\s+not|never)\b`,
    'giu',
  ),
  /<\|(?:im_start|im_end|system|user|assistant|endoftext|begin_of_text)\|>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|assistant)(?:_prompt)?>|^#{2,3}\s*(?:instruction|system|response)s?\s*:/gimu,
  /(?:忽略|无视|不要理会|忘记)(?:掉)?(?:以上|上述|之前|先前|前面|此前)?(?:的)?(?:所有|全部|任何)?(?:的)?(?:指令|提示词|提示|系统消息)/gu,
  /(?:你是|假装你是|扮演)(?:一个|一名|一位)?(?:AI|人工智能|大?语言模型|智能助手|聊天机器人)/gu,
  /(?:作为|如果你是)(?:一个)?(?:AI|人工智能|大?语言模型|智能助手)[^。，]{0,10}(?:你|请|必须|应当)/gu,
];

/** A word that one of them has: most paragraphs of a contract have none. */
const SPOKEN =
  /ignor|disregard|forget|overrid|bypass|not follow|prompt|language model|chat ?bot|gpt|claude|gemini|copilot|assistant|automated|(?:summari|analy[sz]|review|process|answering|asked)\w*\s(?:[\w ]{0,30})(?:document|contract|agreement|file|text|page|terms)|\ba\.?i\b|llm|<[|/<s]|\[\/?INST|^#|[忽无忘假扮作如你不]/im;

export const injectedInstructions: Rule = ({ document }) => {
  const drafts: Draft[] = [];
  for (const { id, text } of document.blocks) {
    if (!SPOKEN.test(text)) continue;
    const taken: Place[] = [];
    for (const pattern of INSTRUCTIONS)
      for (const match of text.matchAll(pattern)) {
        const lead = /^[^\p{L}<[#]*/u.exec(match[0])![0].length;
        const place = { blockId: id, start: match.index + lead, end: match.index + match[0].length };
        if (taken.some((other) => other.start < place.end && place.start < other.end)) continue;
        taken.push(place);
        drafts.push(told(place, 'the text'));
      }
  }
  // A comment is shown at the text it hangs on.
  for (const { text, span, author } of document.comments)
    if (span && INSTRUCTIONS.some((pattern) => text.match(pattern) !== null)) drafts.push(told(span, `a comment by ${author}`));
  return drafts;
};

function told({ blockId, start, end }: Place, where: string): Draft {
  return {
    rule: 'injected-instruction',
    severity: 'error',
    message: `In ${where} a machine that reads the document is told what to do. No contract needs that; nothing here obeys it.`,
    blockId,
    start,
    end,
  };
}

/** One look at each character; what is found is then judged in its place. */
const SUSPECT = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;
const TAG = /[\u{e0000}-\u{e007f}]+/gu;
/** Marks of direction and of width zero between letters that need none (Arabic, Hebrew and Indic text does). */
const INVISIBLE =
  /(?<=[\p{Script=Latin}\p{Script=Han}\p{N}\p{P}\s])[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+(?=[\p{Script=Latin}\p{Script=Han}\p{N}\p{P}\s])/gu;
const OTHER_SCRIPT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}]/u;

export const hiddenCharacters: Rule = ({ document }) => [...leftOut(document), ...storedIn(document)];

/** Signs that the reader of the file has left out of its text: it tells of the words that they stood in. */
function leftOut({ warnings }: Document): Draft[] {
  return warnings.flatMap(({ code, span }): Draft[] => {
    if (code !== 'invisible_characters' || !span) return [];
    const { blockId, start, end } = span;
    const message = 'Invisible characters stand inside this word of the file: a search for it fails, and a machine may read another word than a person.';
    return [{ rule: 'hidden-character', severity: 'warning', message, blockId, start, end }];
  });
}

function storedIn({ blocks }: Document): Draft[] {
  return blocks.flatMap(({ id, text }): Draft[] => {
    if (!SUSPECT.test(text)) return [];
    const tags = [...text.matchAll(TAG)].map((match): Draft => {
      const spoken = [...match[0]].map((sign) => String.fromCodePoint(sign.codePointAt(0)! - 0xe0000)).join('');
      return {
        rule: 'hidden-character',
        severity: 'error',
        message: `Characters that no font draws spell “${spoken.replace(/\P{L}+/gu, ' ').trim()}” to a machine.`,
        blockId: id,
        start: match.index,
        end: match.index + match[0].length,
        fix: '',
      };
    });
    const marks = OTHER_SCRIPT.test(text) ? [] : [...text.matchAll(INVISIBLE)];
    const first = marks[0];
    if (!first) return tags;
    return [
      ...tags,
      {
        rule: 'hidden-character',
        severity: 'warning',
        message: `${marks.length === 1 ? 'An invisible character stands' : `${marks.length} invisible characters stand`} inside this text; what is read may not be what is stored.`,
        blockId: id,
        start: first.index,
        end: first.index + first[0].length,
      },
    ];
  });
}
