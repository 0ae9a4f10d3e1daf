// Words of a text as search terms, and the words that say the same in contracts.
//
// Owns: folding, stems, stop words, and the thesaurus that widens a question ("destroy" finds "return", "verbally" finds "oral").
// Rule: a text is indexed by its own words only; the thesaurus widens questions, with less weight than what was asked.
import type { Terms } from './bm25.ts';

const STOP = new Set(
  (
    'a an and any are as at be been being but by can could did do does each for from had has have having he her here him his how i if in into is it its may might must no ' +
    'of on or other our out shall should so some such than that the their them then there these they this those to under up upon us was we were what when where which who ' +
    'whom whose why will with would you your agreement contract party parties section hereof herein hereunder hereto thereof provided including without limitation'
  ).split(' '),
);
const WORD = /[\p{Script=Han}]|[\p{L}\p{N}]+/gu;
/** Weight of a word that only means the same as one of the question's. */
const SYNONYM = 0.45;

const ENDING =
  /(?:ization|isation|ational|ations?|itions?|ements?|ments?|ances?|ences?|ancy|ency|ures?|ively|ive|ings?|ions?|ied|ed|ers?|ors?|ally|al|ly|ables?|ibles?)$/u;

/** Cuts plural and common endings, so that "disclosure", "disclosing" and "disclosed" meet, and "payment" meets "pay"; never used for what is shown. */
export function stem(word: string): string {
  const single = word.replace(/ies$/u, 'y').replace(/(?<=[^sui])s$/u, '');
  const cut = single.replace(ENDING, '');
  return (cut.length >= 3 ? cut : single).replace(/(?<=..)(?:ee|e|y|i)$/u, '');
}

/** Words that stand for each other in contracts; a question with one of them looks for all. */
const THESAURUS: readonly (readonly string[])[] = [
  'return returned destroy destroyed destruction delete erase dispose disposed redeliver surrender deliver completion request',
  'retain retention keep archive archival backup copy copies residual',
  'copy copies copying duplicate reproduce reproduction replicate photocopy',
  'verbal verbally oral orally spoken visual visually tangible written',
  'identify identified marked marking designate designated labeled legend stamped expressly conspicuously',
  'reverse engineer engineering decompile disassemble disassembly decrypt analyze analysis composition',
  'solicit solicitation hire recruit induce entice employ employment poach contact approach engage',
  'employee employees personnel staff officers directors representatives individuals need know access',
  'third persons consultant consultants contractor contractors advisor advisors adviser agent agents affiliates representatives counsel accountants attorneys subcontractors lenders financing',
  'compelled required requested law legal judicial court subpoena order governmental regulatory regulation process proceeding interrogatories demand',
  'notify notice notification inform prompt promptly advise',
  'survive survival continue remain force effect perpetual permanently indefinitely expiration expire years termination thereafter bound notwithstanding',
  'terminate termination expire expiration cancel cancellation end cessation',
  'license licence right title interest grant granted ownership property patent copyright trademark conveyed remain exclusive vest belong',
  'independent independently develop developed development',
  'acquire acquired receive received obtain obtained third source rightfully lawfully disclosed available nonconfidential basis restriction',
  'purpose purposes solely use used evaluation evaluating evaluate purely benefit',
  'disclose disclosure divulge reveal publish communicate disseminate',
  'fact existence negotiations negotiated discussions terms conditions taking place possible proposed transaction announce announcement public publicity press',
  'technical business financial commercial information knowhow customers pricing marketing plans',
  'assign assignment transfer delegate successor successors',
  'indemnify indemnification indemnity harmless defend hold reimburse',
  'liability liable damages losses responsible',
  'cap limit limitation exceed maximum aggregate ceiling',
  'consequential indirect incidental special punitive exemplary lost profits',
  'carveout exception exclude excluding except excluded',
  'misconduct negligence negligent willful wilful fraud intentional grossly',
  'confidential confidentiality proprietary secret nondisclosure',
  'insurance insured policy coverage insurer',
  'audit inspect inspection examine records books accounting',
  'govern governed governing construed laws jurisdiction',
  'renew renewal extend extension automatically successive',
  'exclusive exclusivity sole solely',
  'compete competition competing competitor competitive noncompete',
  'royalty royalties revenue profit share sharing percentage percent net sales',
  'price pricing fee fees charge cost increase',
  'minimum least commitment quota purchase purchases',
  'warranty warrant warranties warrants represent representation guarantee',
  'disclaim disclaimer merchantability fitness implied',
  'control merger acquisition ownership change majority voting',
  'refusal offer negotiation first rofr rofo',
  'liquidated penalty genuine estimate',
  'beneficiary beneficiaries benefit enforce',
  'escrow source code deposit',
  'infringe infringement intellectual property patent ip misappropriation',
  'disparage disparagement defame derogatory negative',
  'injury death bodily personal',
  'breach default violation failure',
  'mutual reciprocal each either both other',
  'buyer purchaser customer licensee',
  'seller vendor supplier provider licensor',
  'convenience cause reason without',
].map((group) => [...new Set(group.split(' ').map(stem))]);

const GROUPS = new Map<string, Set<string>>();
for (const group of THESAURUS)
  for (const word of group) {
    const known = GROUPS.get(word) ?? new Set<string>();
    for (const other of group) if (other !== word) known.add(other);
    GROUPS.set(word, known);
  }

function words(text: string): string[] {
  const folded = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(\p{L})[’'](\p{L})/gu, '$1$2')
    .replace(/(?<=\bnon)-/g, '');
  return (folded.match(WORD) ?? []).filter((word) => !STOP.has(word) && (word.length > 1 || /\p{Script=Han}/u.test(word))).map(stem);
}

export function termsOf(text: string, weight = 1, into = new Map<string, number>()): Map<string, number> {
  for (const word of words(text)) into.set(word, (into.get(word) ?? 0) + weight);
  return into;
}

/** The question's own words, and with less weight what stands for them. */
export function questionTerms(question: string): Terms {
  const own = termsOf(question);
  const out = new Map([...own.keys()].map((term): [string, number] => [term, 1]));
  for (const term of own.keys()) {
    const group = GROUPS.get(term);
    if (group === undefined) continue;
    // A large group is a weak hint for each of its words.
    for (const other of group) if (!own.has(other)) out.set(other, Math.max(out.get(other) ?? 0, SYNONYM * Math.min(1, 4 / group.size + 0.35)));
  }
  return out;
}
