// Whether a sentence says that an agreement takes effect on the day it is made: "This Agreement shall become effective upon execution by both
// parties", "“Effective Date” means the date first above written", "the term begins on the date hereof", 自双方签字之日起生效.
//
// Rule: three parts have to stand in one sentence in this order: what begins (the agreement, its term, a named date), that it begins, and words for
// the day on which the agreement is dated or signed. Sentences on amendments, notices and waivers say when those bind, and are left alone.

const PAPER = String.raw`(?:agreement|contract|addendum|amendment|lease|licen[cs]e|deed|memorandum|undertaking)`;
/** "this Second Amended and Restated Supply Agreement", "the Term", "it". */
const SUBJECT = String.raw`\b(?:this\s+(?:[\w&()-]+\s+){0,6}?${PAPER}|the\s+(?:present\s+)?(?:agreement|contract)|(?:initial\s+|original\s+)?term|it(?=\s+(?:shall|will|becomes?|takes?|enters?)\b))\b`;
const BEGINS = String.raw`\b(?:(?:effective|commencement)(?!\s+date)|commenc(?:e[sd]?|ing)|beg[iau]n\w*|start(?:s|ing)?|in(?:to)?\s+(?:full\s+)?force|(?:tak(?:es?|ing)|in(?:to)?|with|of)\s+effect|binding)\b`;
const SIGNING = String.raw`(?:execution|signature|signing|acceptance|subscription)`;
/** The agreement's own day in its usual names. */
const OWN_DAY = [
  String.raw`(?:day|date|year)(?:\s+and\s+(?:date|year))?\s+(?:(?:herein)?above|below|first|last)\b`,
  String.raw`(?:above|below)\s+(?:written\s+)?date`,
  String.raw`(?:date|day)\s+(?:hereof|of\s+(?:this|the)\s+(?:[\w-]+\s+){0,3}?${PAPER})\b(?!\s+(?:dated|between|of)\b)`,
  String.raw`(?:date|day|time)\s+of\s+(?:(?:its|the|such|full|due|mutual|last|final|latest)\s+){0,2}${SIGNING}`,
  String.raw`(?:signing|execution|signature|agreement|contract)\s+date`,
  String.raw`date\s+(?:set\s+(?:forth|out)|stated|shown|written|indicated|appearing|specified|noted|entered)\s+(?:(?:herein)?above|below|herein|next\s+to|on|in|at|under|beneath|opposite)`,
  String.raw`date\s+(?:(?:on|upon|as\s+of)\s+which\s+|when\s+|that\s+)?(?:it|both|all|the\s+(?:last|parties|latter)|each|this\s+${PAPER})[^.;]{0,50}?\b(?:sign|execut)\w*`,
  String.raw`(?:last|final|latest|later|latter)\s+(?:signature|date|of\s+the\s+(?:two\s+)?(?:dates?|signatures?|parties))`,
  String.raw`upon\s+(?:(?:its|the|full|due|mutual|proper|being)\s+){0,3}(?:${SIGNING}|signed|executed)`,
  String.raw`(?:when|once|after|as\s+soon\s+as)\s+(?:(?:it|has|have|been|is|fully|duly)\s+){0,4}(?:signed|executed)`,
  String.raw`later\s+of\s+the`,
  String.raw`(?:such|said)\s+date`,
].join('|');
const NAMED_DAY = String.raw`(?:^|["“'‘(:]\s?|\bthe\s+|\d\s+)(?:effective|commencement|start)\s+date\b["”']?`;

const SENTENCE = new RegExp(String.raw`${SUBJECT}[^.;]{0,50}?${BEGINS}[^.;]{0,60}?\b(?:${OWN_DAY})`, 'gi');
/** "shall continue for five years from the date hereof": where the term is counted from that day it begins on it. */
const COUNTED = new RegExp(
  String.raw`\b(?:this\s+(?:[\w&()-]+\s+){0,6}?${PAPER}|(?:initial\s+|original\s+)?term)\b[^.;]{0,80}?\b(?:for|of|is|be|last|valid|effect)\b[^.;]{0,50}?\b(?:years?|months?)[)]?,?\s+(?:period\s+)?(?:from|after|following)\s+(?:and\s+after\s+)?(?:the\s+)?(?:${OWN_DAY})`,
  'gi',
);
const NAMED = new RegExp(
  String.raw`${NAMED_DAY}\s*[)）]?,?\s*(?:(?:of|for)\s+(?:this|the)\s+[\w-]+\s*)?(?:means|shall\s+mean|shall\s+be|will\s+be|is|being|[:：])[^.;]{0,60}?\b(?:${OWN_DAY})|\b(?:${OWN_DAY})[^.;]{0,70}[("“']\s*(?:the\s+)?["“']?Effective\s+Date`,
  'i',
);
const CHINESE =
  /(?:自|于|从|經|经)[^。；]{0,20}(?:签(?:订|署|字)|盖章)[^。；]{0,12}(?:之日|日)?(?:起)?[^。；]{0,4}生效|(?:签(?:订|署|字)|盖章)[^。；]{0,6}(?:后|之日|时|即)[^。；]{0,4}生效/;

/** What else takes effect when it is signed. */
const OTHER_ACT =
  /\b(?:no|any|an?|each|such|all)\s+(?:[\w-]+\s+){0,3}?(?:amendments?|modifications?|waivers?|changes?|variations?|notices?|assignments?|terminations?|supplements?|releases?|order)\b[^.;]*$/i;

/** A recital tells of other agreements, unless it says "this". */
const RECITAL = /\bWHEREAS\b[^.;]*$/;

export function takesEffectWhenMade(sentence: string): boolean {
  if (NAMED.test(sentence) || CHINESE.test(sentence)) return true;
  return [...sentence.matchAll(SENTENCE), ...sentence.matchAll(COUNTED)].some(({ 0: found, index }) => {
    const before = sentence.slice(0, index);
    return !OTHER_ACT.test(before) && (/^this\b/i.test(found) || !RECITAL.test(before));
  });
}
