// What is paid or bought at least, who owns what is made, and what may be used.
//
// Owns: the wording by which these kinds of clause are known, as data; the first of equal weight wins (types.ts).
import { gap, rx, type TypeRule } from './typeWording.ts';

export const PROPERTY_RULES: readonly TypeRule[] = [
  {
    type: 'revenueSharing',
    cues: ['royalt', 'commission', 'share', '%', 'percent'],
    heading: /royalt|revenue\s+shar|profit\s+shar|commission/i,
    says: rx(
      String.raw`\b(?:royalt|commission|revenue\s+share|profit\s+share)\w*\b${gap(140)}(?:%|\bpercent|\bnet\s+(?:sales|revenue|profits?))|(?:%|\bpercent\b|\bpercentage\b)${gap(60)}\bof\b${gap(60)}\b(?:net|gross)\b${gap(30)}\b(?:sales|revenues?|profits?|proceeds|receipts|income)|\bshare\b${gap(60)}\b(?:revenues?|profits?)\b`,
    ),
    weak: /%|percent|\bshall\s+pay|royalt/i,
    not: /\binterest\s+(?:rate|at)|late\s+(?:pay|fee)|per\s+annum/i,
  },
  {
    type: 'priceRestriction',
    cues: ['price', 'fee', 'rate'],
    says: rx(
      String.raw`\b(?:prices?|fees?|rates?)\b${gap(80)}\b(?:shall|will|may)\s+not\b${gap(60)}\b(?:increase|exceed|be\s+(?:increased|raised|adjusted))|\b(?:increase|raise|adjust)\w*\b${gap(60)}\b(?:prices?|fees?)\b${gap(80)}\b(?:not\s+(?:to\s+)?exceed|no\s+more\s+than|limited\s+to|once\s+(?:per|each|every))`,
    ),
  },
  {
    type: 'minimumCommitment',
    cues: ['minimum', 'at least', 'not less', 'no less', 'not fewer', 'no fewer', '最低'],
    heading: /\bminimum\b|commitment\b|\btake[\s-]or[\s-]pay/i,
    says: rx(
      String.raw`\bminimum\b${gap(60)}\b(?:purchase|order|quantit|commitment|amount|volume|guarante|royalt|payment|annual|number|fee|spend|sales|requirement)|\b(?:purchase|order|spend|pay|sell|provide)\b${gap(80)}\b(?:at\s+least|no(?:t)?\s+(?:less|fewer)\s+than|a\s+minimum\s+of)\b|最低(?:采购|购买|订货|消费)`,
    ),
    weak: /\bminimum|at\s+least|not\s+less/i,
    not: /insur|coverage|notice|minimum\s+(?:wage|age|standards?)|per\s+occurrence/i,
  },
  {
    type: 'volumeRestriction',
    cues: ['up to', 'more than', 'maximum', 'exceed', 'in excess'],
    says: rx(
      String.raw`\b(?:up\s+to|no(?:t)?\s+more\s+than|maximum\s+(?:of|number)|not\s+(?:to\s+)?exceed|in\s+excess\s+of)\b${gap(60)}\b(?:users?|copies|units|seats|hours|orders?|appearances?|servers?|transactions?|page\s+views|devices|employees|licen[cs]es|products?|quantit|volumes?|capacity|barrels|sessions)\b`,
    ),
    not: /insur|liabilit|damages/i,
  },
  {
    type: 'jointIpOwnership',
    cues: ['joint', 'co-own', 'coown'],
    heading: /joint\s+(?:ip|intellectual|invention|ownership|patent|technology)/i,
    says: rx(
      String.raw`\bjoint(?:ly)?\b${gap(20)}\bown(?:ed|s|ership)?\b|\bown(?:ed)?\s+joint(?:ly)?\b|\bjoint\s+(?:inventions?|ip\b|patents?|intellectual|technology|ownership|property)|\bco-?own`,
    ),
  },
  {
    type: 'ipOwnershipAssignment',
    cues: ['hire', 'assign', 'transfer', 'own', 'vest', 'belong', 'property', '知识产权'],
    heading: /ownership|work\s+(?:made\s+)?for\s+hire|intellectual\s+property|proprietary\s+rights|inventions?|work\s+product|知识产权/i,
    says: rx(
      String.raw`\bworks?\s+(?:made\s+)?for[\s-]hire|\b(?:hereby\s+)?(?:assigns?|agrees?\s+to\s+assign|transfers?)\b${gap(100)}\b(?:right,?\s+title|all\s+(?:of\s+)?(?:its\s+)?rights?|copyrights?|inventions?|intellectual\s+property|patents?|ownership)|\b(?:inventions?|improvements?|work\s+product|developments?|deliverables?|modifications?|derivative\s+works|intellectual\s+property)\b${gap(140)}\b(?:shall|will)\s+(?:be\s+)?(?:the\s+(?:sole\s+)?(?:and\s+exclusive\s+)?property|(?:solely\s+|exclusively\s+)?(?:be\s+)?owned|belong|vest)|\bshall\s+(?:solely\s+|exclusively\s+)?own\b${gap(80)}\b(?:inventions?|improvements?|intellectual|work\s+product|right)|知识产权${gap(12)}归`,
    ),
    weak: /\bassign|\bown(?:s|ed)?\b|exclusive\s+property/i,
    not: /\bthis\s+agreement\s+may\s+not|retain/i,
  },
  {
    type: 'irrevocableLicense',
    cues: ['perpet', 'irrevocable', 'paid'],
    says: rx(
      String.raw`\b(?:perpetual|irrevocable|fully[\s-]paid)\b${gap(120)}\b(?:licen[cs]e|right)|\blicen[cs]e\w*\b${gap(80)}\b(?:perpetual|irrevocable|in\s+perpetuity)`,
    ),
  },
  {
    type: 'nonTransferableLicense',
    cues: ['transfer', 'assignable', 'sublicen'],
    says: rx(
      String.raw`\bnon-?\s?-?transferr?able|\bnon-?\s?-?assignable|\b(?:licen[cs]e|right)\w*\b${gap(100)}\b(?:not\s+(?:be\s+)?(?:transferr?|assign|sublicens)\w*|without\s+(?:the\s+)?right\s+to\s+sublicen[cs]e)`,
    ),
    not: /\bwarrant(?:y|ies)\b/i,
  },
  {
    type: 'unlimitedLicense',
    cues: ['unlimited', 'wide licen', 'wide-licen'],
    says: rx(String.raw`\bunlimited\b${gap(80)}\b(?:licen[cs]e|right|use|users?|copies|number)|\b(?:enterprise|site)[\s-]wide\s+licen[cs]e`),
    not: /liabilit/i,
  },
  {
    type: 'affiliateLicenseLicensee',
    cues: ['affiliates'],
    says: rx(
      String.raw`\b(?:grants?|licen[cs]e[ds]?|right\s+to\s+use)\b${gap(160)}\b(?:its|their|and|licensee'?s?|customer'?s?)\s+(?:own\s+)?(?:\w+\s+)?affiliates|\baffiliates?\b${gap(60)}\b(?:may|right\s+to|licensed\s+to)\s+(?:use|access|exercise)`,
    ),
  },
  {
    type: 'affiliateLicenseLicensor',
    cues: ['affiliates'],
    says: rx(
      String.raw`\blicensor\b${gap(30)}\baffiliates\b${gap(60)}\b(?:grants?|licen[cs]e)|\bon\s+behalf\s+of\s+(?:itself\s+and\s+)?its\s+affiliates\b${gap(40)}\bgrants?`,
    ),
  },
  {
    type: 'licenseGrant',
    cues: ['grant', 'licensed', '授予'],
    heading: /licen[cs]e\s*(?:grant)?s?$|grant\s+of|\bgrants?\b|licen[cs]es?\b|授权|许可/i,
    says: rx(
      String.raw`\bgrants?\b${gap(160)}\b(?:licen[cs]es?|right\s+(?:and\s+license|to\s+(?:use|market|sell|distribute|reproduce|display|manufacture|sublicen[cs]e|access|promote|make|host|operate))|sublicen[cs]es?)|\b(?:is|are)\s+(?:hereby\s+)?(?:granted|licensed)\b${gap(100)}\b(?:licen[cs]e|right|use)|授予${gap(30)}许可`,
    ),
    weak: /\blicen[cs]e|\bgrant|right\s+to/i,
    not: /\bnot\s+grant|\bno\s+licen[cs]e|nothing\b|\bexcept\s+as\s+expressly|indemnif|options?\s+to\s+purchase|shares/i,
  },
  {
    type: 'sourceCodeEscrow',
    cues: ['escrow'],
    heading: /escrow/i,
    says: /\bescrow\b[^.;]{0,120}\b(?:source|code|software|agent|agreement|materials?)|source\s+code[^.;]{0,120}\bescrow/i,
    not: /escrow\s+account|purchase\s+price/i,
  },
];
