// The questions whose wording the Reader was trained on, with the words by which code recognises the same subject.
//
// Owns: for each label, `asked` (is a person's question about this?) and `swept` (words that must not stand in a document
// before "not in these documents" may be said). The wordings themselves ship with the model (wordings.json).
// Rule: `swept` is wide on purpose: a false hit only costs certainty, a miss would cost truth.
import { stem } from './terms.ts';

export interface Label {
  readonly name: string;
  readonly asked: RegExp;
  readonly swept: RegExp;
}

const label = (name: string, asked: RegExp, swept: RegExp): Label => ({ name, asked, swept });

/** In order of precedence: the first whose `asked` matches wins. */
export const LABELS: readonly Label[] = [
  label(
    'Notice Period To Terminate Renewal',
    /non-?renewal|(notice|prevent|stop|avoid|opt[- ]?out).*renew|renew.*notice/i,
    /non-?renewal|not\s+(to\s+)?renew|intention?\s+not|renew/i,
  ),
  label('Renewal Term', /\brenew(al|s|ed)?\b|extend(ed|s)?\s+(automatically|the term)/i, /\brenew|extension\s+of\s+the\s+term|successive/i),
  label(
    'Governing Law',
    /govern(ing|ed|s)?\s+.*law|law\s+(applies|governs)|which\s+(law|state|country).*(appl|govern)|choice of law/i,
    /govern(s|ed|ing)?\b|laws\s+of/i,
  ),
  label(
    'Agreement Date',
    /date of (the|this) (agreement|contract)|when was .*(signed|made|executed)|agreement date/i,
    /dated|as of|made (on|and entered)|\b(19|20)\d\d\b/i,
  ),
  label(
    'Effective Date',
    /effective date|take(s)? effect|come(s)? into (force|effect)|when does .*(start|begin)/i,
    /effective\s+date|take\s+effect|comes?\s+into|commenc/i,
  ),
  label('Expiration Date', /expir(e|es|y|ation)|when does .*end|end date|how long .*(term|agreement|contract)\b/i, /expir|terminat|initial\s+term|until/i),
  label(
    'Document Name',
    /title of (the|this)|name of (the|this) (document|agreement|contract)|what kind of (document|agreement)/i,
    /agreement|contract|terms/i,
  ),
  label('Parties', /\bparties\b|who (is|are) (the )?(customer|provider|supplier|parties|party|seller|buyer)|between whom/i, /between|party|parties/i),
  label('Cap On Liability', /(cap|limit)\w*\s.*liab|liab\w*\s.*(cap|limit)|maximum liability|liability cap/i, /liabilit|aggregate|in\s+no\s+event|exceed/i),
  label('Uncapped Liability', /uncapped|unlimited liab|exceptions? to .*(cap|liab)|no (cap|limit)/i, /liabilit|unlimited|exceptions?|not\s+apply/i),
  label('Liquidated Damages', /liquidated|termination fee|penalt/i, /liquidated|penalt|termination\s+fee/i),
  label(
    'Termination For Convenience',
    /terminat\w*.*(convenience|without cause|any reason|for no reason)|walk away/i,
    // "Either party may terminate on thirty days' notice" needs none of the usual words.
    /convenience|without\s+cause|any\s+reason|no\s+reason|\b(?:may|can|right\s+to|option\s+to|entitled\s+to)\s+(?:\w+\s+){0,6}?(?:terminate|cancel)\b|\bbe\s+(?:terminated|cancell?ed)\b|terminable|at\s+will\b/i,
  ),
  label('Change Of Control', /change (of|in) control|merger|acqui(red|sition)/i, /change\s+(of|in)\s+control|merger|acquisition|substantially\s+all/i),
  label('Anti-Assignment', /assign(ed|ment|able)?\b|transfer(red)? (the|this) (agreement|contract)/i, /assign/i),
  label('Non-Compete', /non-?compet|compet(e|ing|itor)/i, /compet(e|ing|itor|itive)/i),
  label('Competitive Restriction Exception', /exceptions? to the (non-?compete|exclusiv)/i, /compet|exclusiv/i),
  label('Exclusivity', /exclusiv/i, /exclusiv|sole(ly)?\b/i),
  label('No-Solicit Of Customers', /solicit.*(customer|client)/i, /solicit/i),
  label('No-Solicit Of Employees', /(solicit|hire|poach).*(employee|staff|personnel)/i, /solicit|hire|recruit/i),
  label('Non-Disparagement', /disparag/i, /disparag|defam|derogat/i),
  label('Most Favored Nation', /most[- ]favou?red|mfn\b/i, /most[- ]favou?red|no\s+less\s+favou?rable/i),
  label('Rofr/Rofo/Rofn', /right of first|rofr|rofo/i, /right\s+of\s+first|first\s+(refusal|offer|negotiation)/i),
  label('Revenue/Profit Sharing', /(revenue|profit)[- ]shar|royalt/i, /royalt|revenue|profit/i),
  label('Price Restrictions', /price (change|increase|restriction|cap)|raise .*(price|fees)|increase .*(price|fees)/i, /price|increase|fees/i),
  label('Minimum Commitment', /minimum (purchase|commitment|order)/i, /minimum/i),
  label('Volume Restriction', /volume|usage (cap|limit)|cap on usage/i, /volume|usage|exceed/i),
  label('Joint Ip Ownership', /joint(ly)?.*(own|ip\b|intellectual)/i, /joint(ly)?\b/i),
  label(
    'Ip Ownership Assignment',
    /(intellectual property|\bip\b|inventions?|deliverables?).*(assign|own)|own.*(intellectual property|\bip\b|inventions?|deliverables?)/i,
    /assign|intellectual\s+property|ownership|own(s|ed)?\b/i,
  ),
  label('Non-Transferable License', /non-?transferab/i, /transferab/i),
  label('Irrevocable Or Perpetual License', /perpetual|irrevocable/i, /perpetual|irrevocable/i),
  label('Unlimited/All-You-Can-Eat-License', /unlimited (usage|license)/i, /unlimited/i),
  label('Affiliate License-Licensor', /licensor'?s affiliates/i, /affiliate/i),
  label('Affiliate License-Licensee', /affiliates?/i, /affiliate/i),
  label('License Grant', /licen[sc]e/i, /licen[sc]e/i),
  label('Source Code Escrow', /escrow/i, /escrow/i),
  label(
    'Post-Termination Services',
    /(after|on|upon|following) (termination|expiration)|post-termination|surviv/i,
    /surviv|after\s+(termination|expiration)|upon\s+(termination|expiration)|following\s+termination/i,
  ),
  label('Audit Rights', /\baudit|inspect.*(books|records)/i, /audit|inspect|books\s+and\s+records/i),
  label('Warranty Duration', /warranty (period|duration|last)|how long .*warrant/i, /warrant/i),
  label('Insurance', /insurance|insured/i, /insur/i),
  label('Covenant Not To Sue', /covenant not to sue|challenge .*(ip|validity|ownership)/i, /covenant\s+not|contest|challenge/i),
  label('Third Party Beneficiary', /third[- ]party beneficiar/i, /third[- ]party\s+beneficiar|beneficiar/i),
];

/** The label that a person's question is about; null when none is recognised. */
export const findLabel = (question: string): Label | null => LABELS.find((entry) => entry.asked.test(question)) ?? null;

const STOP_WORDS = new Set(
  (
    'a an and any are as at be been being between by can could did do does for from had has have how if in into is it its may might must of on or our shall ' +
    'should so such than that the their them then there these they this those to under upon was were what when where which who whom whose why will with ' +
    'would you your agreement contract document documents clause section party parties say says said about'
  ).split(' '),
);

/** Label -> words behind `Extract:`, for the labels of which the Reader was trained to give a value (READER.md). */
export const EXTRACT_WORDS: Readonly<Record<string, string>> = {
  'Document Name': 'document name',
  'Agreement Date': 'agreement date',
  'Effective Date': 'effective date',
  'Expiration Date': 'expiration date',
  'Governing Law': 'governing law',
  'Renewal Term': 'renewal term',
  'Notice Period To Terminate Renewal': 'notice period to terminate renewal',
};

export const getLabel = (name: string): Label | null => LABELS.find((entry) => entry.name === name) ?? null;

/** Content words of a question, folded and cut to a rough stem: what the sweep for an absence looks for. */
export function contentWords(question: string): readonly string[] {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.filter((word) => word.length > 2 && !STOP_WORDS.has(word)).map(stem))];
}
