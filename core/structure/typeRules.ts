// The wording by which provisions are known: for each clause type its heading and what its sentences say.
//
// Owns: the 41 kinds of CUAD v1 and the general ones of CLAUSE_TYPES, as data. How heading and words are weighed is types.ts.
// Rule: `says` must be enough wherever it stands; `weak` only counts below a heading of the type; `not` takes a sentence out of both.
// General kinds are known by their headings; their words are needed only where a contract has none.
import type { ClauseType } from '../contract/document.ts';

export interface TypeRule {
  readonly type: ClauseType;
  readonly heading?: RegExp;
  /** One of these stands in every text that `says` can match: looked for first, because it is twenty times as fast. */
  readonly cues?: readonly string[];
  readonly says?: RegExp;
  readonly weak?: RegExp;
  readonly not?: RegExp;
}

/** Words inside one sentence, up to `count` characters of it. */
const gap = (count: number): string => String.raw`[^.;。；]{0,${count}}`;
const rx = (source: string): RegExp => new RegExp(source, 'i');

/** Special kinds before general ones: the first of equal weight wins. */
export const TYPE_RULES: readonly TypeRule[] = [
  {
    type: 'renewalNotice',
    cues: ['renew', 'extend', '续'],
    says: rx(
      String.raw`\b(?:renew|extend)(?:s|ed|al)?\b${gap(200)}\b(?:unless|notice|notif)${gap(160)}\b(?:days?|months?|years?)\b|\bunless\b${gap(160)}\bnotice${gap(120)}\b(?:not\s+to\s+(?:renew|extend)|non-?renewal)|\b(?:days?|months?)\b${gap(120)}\b(?:notice)${gap(80)}\b(?:non-?renewal|not\s+to\s+renew|intent(?:ion)?\s+(?:not\s+)?to\s+(?:renew|terminate))|不(?:再)?续(?:约|签|期)`,
    ),
    not: /option\s+to\s+(?:renew|extend)/i,
  },
  {
    type: 'renewalTerm',
    cues: ['renew', 'extend', '自动'],
    heading: /\brenewals?\b|extension\s+of\s+(?:the\s+)?(?:term|agreement)|续(?:约|签|期)/i,
    says: rx(
      String.raw`\b(?:automatically\s+)?(?:renew|extend)(?:s|ed)?\b${gap(100)}\b(?:successive|additional|further|subsequent|consecutive|another|like)\b${gap(60)}\b(?:terms?|periods?|years?|months?)|\b(?:agreement|term|contract)\b${gap(80)}\b(?:shall|will|may|is)\b${gap(50)}\b(?:renew|be\s+(?:renewed|extended)|automatically\s+(?:renew|extend))|自动(?:续|顺延|延长)`,
    ),
    weak: /\brenew|\bextend/i,
  },
  {
    type: 'governingLaw',
    cues: ['law', '法律'],
    heading: /govern(?:ing)?\s+law|choice\s+of\s+law|applicable\s+law|^law\b|适用法律|法律适用/i,
    says: rx(
      String.raw`\b(?:govern|constru|interpret)\w*\b${gap(120)}\b(?:laws?\s+of|law)\b|\blaws?\s+of\b${gap(140)}\bshall\s+(?:govern|apply|control)|适用${gap(10)}法律`,
    ),
    not: /\b(?:tax|securities|applicable)\s+laws?\b(?![^.;]*\bstate\b)/i,
  },
  {
    type: 'mostFavoredNation',
    cues: ['favor', 'favour'],
    heading: /most[\s-]favou?red/i,
    says: rx(
      String.raw`most[\s-]favou?red|\b(?:no|not)\s+less\s+favou?rable\b${gap(100)}\b(?:than|customers?|part(?:y|ies))|\b(?:more|lower|better)\s+favou?rable\s+(?:pric|terms)`,
    ),
  },
  {
    type: 'nonCompete',
    cues: ['compet', 'similar', 'engage in', '竞业'],
    heading: /non-?compet|restrictive\s+covenant|competing|竞业/i,
    says: rx(
      String.raw`\b(?:shall|will|agrees?|may|covenants?)\b${gap(60)}\bnot\b${gap(160)}\b(?:compet(?:e|es|ing|itive|itor)|engage\s+in\b${gap(60)}\bbusiness|similar\s+(?:business|products?|services?))|\bnon-?compet(?:e|ition)\b|竞业(?:限制|禁止)`,
    ),
    weak: /compet|\bnot\b/i,
    not: /\bcompetent\b|competitive\s+bid|competitive\s+pric/i,
  },
  {
    type: 'noSolicitEmployees',
    cues: ['solicit', 'hir', 'recruit', 'induc', 'entic', 'employ', 'engage'],
    heading: /non-?solicit|no[\s-]hire/i,
    says: rx(
      String.raw`\b(?:not|neither|nor|refrain|no)\b${gap(140)}\b(?:solicit\w*|hire|hiring|recruit\w*|induc\w+|entic\w+|employ|employing|engage)\b${gap(120)}\b(?:employees?|personnel|staff|officers?)\b`,
    ),
    not: /\b(?:may|right\s+to)\s+(?:hire|employ|engage)|insurance|liabilit|own\s+employees/i,
  },
  {
    type: 'noSolicitCustomers',
    cues: ['solicit', 'divert', 'induc', 'entic', 'interfer'],
    says: rx(
      String.raw`\bnot\b${gap(120)}\b(?:solicit|divert|induce|entice|interfere)\w*\b${gap(120)}\b(?:customers?|clients?|suppliers?|vendors?|distributors?|franchisees?)`,
    ),
  },
  {
    type: 'nonDisparagement',
    cues: ['disparag', 'derogat', 'defam', 'denigrat', 'disrepute'],
    heading: /disparag/i,
    says: rx(String.raw`disparag|\bderogat|\b(?:defam|denigrat)\w+|bring${gap(30)}disrepute`),
  },
  {
    type: 'terminationForConvenience',
    cues: ['terminat', '终止', '解除'],
    heading: /termination\s+(?:for\s+convenience|without\s+cause|at\s+will)/i,
    says: rx(
      String.raw`\bterminat\w+\b${gap(160)}\b(?:for\s+(?:its\s+)?convenience|without\s+cause|(?:for|with)\s+(?:any|no)\s+(?:or\s+no\s+)?reason|with\s+or\s+without\s+cause|at\s+(?:its|their|any\s+party'?s)\s+(?:sole\s+)?(?:discretion|option))|\b(?:without\s+cause|for\s+convenience|for\s+any\s+reason|at\s+any\s+time)\b${gap(80)}\bterminat|\b(?:may|right\s+to|can)\b${gap(40)}\bterminate\s+(?:this|the)\s+(?:\w+\s+)?(?:agreement|contract)\b(?:,?\s*(?:in\s+whole|at\s+any\s+time|effective))?${gap(30)}\b(?:upon|by|on|with|giving)\b${gap(60)}\b(?:days?'?|months?'?)\b${gap(40)}\bnotice|随时(?:解除|终止)`,
    ),
    not: /\bbreach|default|insolv|bankrupt|fail(?:s|ure)|force\s+majeure|change\s+(?:of|in)\s+control/i,
  },
  {
    type: 'rightOfFirstRefusal',
    cues: ['first', '优先'],
    heading: /first\s+(?:refusal|offer|negotiation)|rofr|rofo/i,
    says: /\bright\s+of\s+first\s+(?:refusal|offer|negotiation|opportunity|notice)|\bfirst\s+(?:right|option|opportunity)\s+(?:to|of)|优先购买权|优先受让/i,
  },
  {
    type: 'changeOfControl',
    cues: ['control', 'merger', 'consolidation', 'acqui', 'sale', 'ownership', '控制权'],
    heading: /change\s+(?:of|in)\s+control/i,
    says: rx(
      String.raw`\bchange\s+(?:of|in)\s+(?:the\s+)?(?:control|ownership)|\b(?:merger|consolidation|acquisition|sale)\b${gap(80)}\b(?:substantially\s+all|all\s+or)\b|\bacquire[sd]?\b${gap(60)}\b(?:control|majority)|控制权(?:变更|变动)`,
    ),
    not: /\bmeans\b|["“]Change\s+(?:of|in)\s+Control["”]\s+(?:means|shall)/i,
  },
  {
    type: 'antiAssignment',
    cues: ['assign', 'transfer', 'delegat', 'sublicens', 'subcontract', '转让'],
    heading: /assign(?:ment|ability)?\b|successors|转让/i,
    says: rx(
      String.raw`\b(?:not|neither|no|may|nor)\b${gap(140)}\b(?:assign|transfer|delegat|sublicens|subcontract)\w*\b${gap(160)}\b(?:without|consent|approval|except|void|prohibited)|\b(?:assign|transfer)(?:ed|able|ment)?\b${gap(140)}\bwithout\b${gap(60)}\b(?:consent|approval|permission|agreement)|\b(?:not|non-?)\s*(?:be\s+)?assignable|不得${gap(20)}转让`,
    ),
    weak: /\bassign|\btransfer/i,
    not: /\b(?:inventions?|copyrights?|patents?|title\s+to\s+(?:the\s+)?(?:goods|products)|technology\s+transfer|study\s+drug|materials?|samples?|data)\b(?![^.;]*agreement)/i,
  },
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
  {
    type: 'postTerminationServices',
    cues: ['terminat', 'expir', 'transition', 'sell', 'wind'],
    heading:
      /effects?\s+of\s+(?:expiration|termination|such)|(?:obligations|rights|procedures?|duties)\s+(?:up)?on\s+(?:expiration|termination)|(?:post|after)[\s-](?:expir|terminat)|transition|wind[\s-]?down|sell[\s-]off|合同终止后/i,
    says: rx(
      String.raw`\b(?:upon|after|following|on|in\s+the\s+event\s+of)\b${gap(60)}\b(?:termination|expiration|expiry)\b${gap(160)}\b(?:shall|will|may|must)\b${gap(160)}\b(?:continue|return|destroy|transition|cease|deliver|sell|provide|assist|pay|dispose|remove|discontinue|transfer|fulfill)|\b(?:transition\s+(?:services|period|assistance)|sell[\s-]off\s+period|wind[\s-]down)\b`,
    ),
    weak: /terminat|expir/i,
  },
  {
    type: 'auditRights',
    cues: ['audit', 'inspect', 'examin'],
    heading: /\baudits?\b|\binspections?\b|books\s+and\s+records|record\s*-?keeping|审计/i,
    says: rx(
      String.raw`\b(?:right|may|permit|allow|entitled|access|shall|available)\b${gap(120)}\b(?:audit|inspect|examin)\w*\b${gap(120)}\b(?:books|records|accounts|facilit|premises|sites?|documents?|compliance|auditor)|\b(?:books|records|accounts)\b${gap(160)}\b(?:audit|inspect|examin)|\b(?:audit|inspect)\w*\b${gap(60)}\b(?:at\s+any|during\s+(?:normal|regular|reasonable)|upon\s+(?:reasonable|\w+\s+days))`,
    ),
    weak: /\baudit|\binspect|\bexamin|\brecords\b/i,
    not: /audited\s+financial|inspection\s+of\s+(?:the\s+)?goods/i,
  },
  {
    type: 'capOnLiability',
    cues: ['liab', '责任'],
    heading: /limit(?:ation)?s?\s+(?:of|on)\s+(?:liabilit|damages|remed)|liabilit(?:y|ies)\s+(?:cap|limit)|consequential\s+damages|责任限制/i,
    says: rx(
      String.raw`\b(?:aggregate|total|maximum|cumulative|entire|overall)?\s*\bliabilit\w*\b${gap(220)}\b(?:not\s+(?:in\s+any\s+event\s+)?exceed|limited\s+to|no\s+(?:more|greater)\s+than|in\s+excess\s+of)|\b(?:in\s+no\s+event|under\s+no\s+circumstances|neither|not)\b${gap(160)}\bliable\b${gap(160)}\b(?:consequential|incidental|indirect|special|punitive|exemplary|lost\s+profits|loss\s+of)|责任${gap(40)}不超过`,
    ),
    weak: /\bliab|\bdamages|\bremed/i,
    not: /insurance|\bcoverage\b/i,
  },
  {
    type: 'uncappedLiability',
    cues: ['liab', 'limit', 'damages', 'exclusion'],
    says: rx(
      String.raw`\b(?:except|other\s+than|excluding|save|notwithstanding|nothing|shall\s+not\s+apply|not\s+limit)\b${gap(260)}\b(?:indemnif|gross\s+negligence|w[iu]l[l]?ful|fraud|breach\s+of\b${gap(30)}\bconfidential|confidentiality|death|personal\s+injury)\b${gap(260)}\b(?:liab|damages|limit)|\b(?:limitation|exclusion)s?\b${gap(120)}\b(?:shall|will|do(?:es)?)\s+not\s+apply|\bunlimited\s+liability|liability\b${gap(60)}\bunlimited`,
    ),
  },
  {
    type: 'liquidatedDamages',
    cues: ['liquidated', 'termination', 'break', 'penalty', '违约金'],
    heading: /liquidated\s+damages|termination\s+fee|违约金/i,
    says: rx(
      String.raw`\bliquidated\s+damages|\btermination\s+(?:fee|payment|charge)|\bbreak[\s-]?up\s+fee|\bearly\s+termination\s+(?:fee|charge)|\bas\s+a\s+penalty|违约金`,
    ),
  },
  {
    type: 'warrantyDuration',
    cues: ['warrant', '保修', '质保'],
    heading: /warranty\s+period/i,
    says: rx(
      String.raw`\bwarrant\w*\b${gap(200)}\b(?:for\s+(?:a\s+period\s+of\s+)?(?:\w+\s+)?\(?\d+\)?|period\s+of|within)\b${gap(60)}\b(?:days?|months?|years?)|\bwarranty\s+period|保修期|质保期`,
    ),
  },
  {
    type: 'insurance',
    cues: ['insur'],
    heading: /\binsurance\b|保险/i,
    says: rx(
      String.raw`\b(?:maintain|carry|obtain|procure|keep|provide|purchase|have)\w*\b${gap(100)}\binsurance|\binsur(?:ance|ed|er)\b${gap(120)}\b(?:polic|coverage|limits?|per\s+occurrence|certificate|additional\s+insured|in\s+(?:full\s+)?force|premiums?)|\badditional\s+(?:named\s+)?insureds?|certificates?\s+of\s+insurance`,
    ),
    weak: /insur|\bcoverage|\bpolic(?:y|ies)|certificate|\$/i,
    not: /insurance\s+compan(?:y|ies)\s+(?:law|act)|health\s+insurance\s+portability/i,
  },
  {
    type: 'covenantNotToSue',
    cues: ['sue', 'contest', 'challenge', 'attack', 'dispute', 'question', 'oppose', 'impair', 'assert', 'bring', 'institute'],
    says: rx(
      String.raw`\bcovenant\s+not\s+to\s+sue|\bnot\b${gap(100)}\b(?:contest|challenge|attack|dispute|question|oppose|impair)\w*\b${gap(120)}\b(?:validity|title|ownership|rights?|enforceab|marks?|patents?|registration)|\bnot\b${gap(60)}\b(?:assert|bring|sue|institute)\b${gap(80)}\b(?:claims?|actions?|suit|infring)`,
    ),
  },
  {
    type: 'thirdPartyBeneficiary',
    cues: ['beneficiar'],
    heading: /third[\s-]party\s+beneficiar/i,
    says: rx(String.raw`\b(?:is|are|be|as|an?)\s+(?:an?\s+)?(?:intended\s+|express\s+)*third[\s-]party\s+beneficiar`),
    not: /\b(?:no|not|nothing|other\s+than|nor)\b/i,
  },
  {
    type: 'competitiveRestrictionException',
    cues: ['compet', 'exclusiv'],
    says: rx(String.raw`\b(?:notwithstanding|except|provided,?\s+however|other\s+than|nothing)\b${gap(200)}\b(?:compet|exclusiv)\w*`),
  },
  {
    type: 'exclusivity',
    cues: ['exclusiv', 'any other', 'any third', 'other than', '独家'],
    heading: /exclusiv|独家/i,
    says: rx(
      String.raw`\b(?:sole(?:ly)?\s+and\s+)?exclusive(?:ly)?\b${gap(100)}\b(?:rights?|licen[cs]e|distribut|supplier|provider|agent|basis|dealing|purchase|territory|sponsor|represent|manufactur|market)|\b(?:not|only|solely|exclusively)\b${gap(60)}\b(?:purchase|appoint|engage|sell|market|supply|endorse)\b${gap(100)}\b(?:any\s+(?:other|third)|other\s+than)|独家`,
    ),
    weak: /exclusiv/i,
    not: /exclusive\s+(?:remed|jurisdiction|venue|forum|of)|non-?\s?-?exclusive|exclusive\s+property|sole\s+and\s+exclusive\s+(?:remed|property|owner)|mutually\s+exclusive|right,?\s+title|indemnif/i,
  },
  {
    type: 'expirationDate',
    cues: ['agreement'],
    heading: /^(?:initial\s+)?term(?:\s+of\s+(?:this\s+)?agreement)?$|duration|合同期限|有效期/i,
    says: rx(
      String.raw`\b(?:initial\s+)?term\s+of\s+this\s+(?:\w+\s+)?agreement\b${gap(160)}\b(?:years?|months?|until|expire|commence|continue)|\bthis\s+(?:\w+\s+)?agreement\b${gap(80)}\b(?:remain|continue|be)\b${gap(20)}\b(?:in\s+(?:full\s+force\s+and\s+)?effect|effective|in\s+force)\b${gap(80)}\b(?:until|for\s+(?:a\s+)?(?:period|term|\w+\s+\(?\d)|through)`,
    ),
    weak: /\bterm\b|expire|continue/i,
    not: /confiden/i,
  },
  {
    type: 'effectiveDate',
    cues: ['effect'],
    heading: /^effective\s+date$|生效/i,
    says: rx(
      String.raw`\bthis\s+(?:\w+\s+)?agreement\b${gap(60)}\b(?:shall\s+(?:be|become)|is|becomes?|will\s+be(?:come)?|takes?|shall\s+take)\s+effect(?:ive)?\b`,
    ),
  },
  {
    type: 'parties',
    cues: ['between', 'among', '由'],
    heading: /^(?:the\s+)?parties$|^当事人/i,
    says: rx(
      String.raw`\b(?:agreement|contract|lease|deed|amendment)\b${gap(200)}\bby\s+and\s+(?:between|among)\b|\b(?:made|entered\s+into)\b${gap(120)}\bbetween\b|本(?:合同|协议)由`,
    ),
    not: /WHEREAS|that\s+certain|entered\s+into\s+an?\b/i,
  },
  {
    type: 'definitions',
    heading: /^(?:(?:certain|general)\s+)?definitions?(?:\s+and\s+(?:interpretation|construction|rules).*)?$|^interpretation|^defined\s+terms|^定义|^释义/i,
  },
  {
    type: 'confidentiality',
    cues: ['confiden', '保密'],
    heading: /confiden|non-?disclosure|proprietary\s+information|trade\s+secrets|保密/i,
    says: rx(
      String.raw`\b(?:recipient|receiving\s+party|each\s+party|neither\s+party|shall|will|agrees?)\b${gap(80)}\b(?:keep|hold|maintain|not\s+disclose|treat|protect)\b${gap(80)}\bconfiden|保密义务|应${gap(12)}保密`,
    ),
    weak: /disclos|confiden|proprietary|保密/i,
  },
  {
    type: 'dataProtection',
    cues: ['personal data'],
    heading: /data\s+(?:protection|privacy|security|processing)|\bprivacy\b|personal\s+(?:data|information)|个人信息|数据(?:保护|安全)/i,
    says: /\bpersonal\s+data\b[^.;]{0,120}\b(?:process|gdpr|controller)/i,
  },
  {
    type: 'payment',
    heading: /\bpayments?\b|\bfees?\b|\bprices?\b|\bpricing\b|\bcompensation\b|\binvoic|\bcharges\b|consideration|^expenses|付款|价款|费用|报酬/i,
  },
  { type: 'taxes', heading: /\btax(?:es|ation)?\b|withholding|税/i },
  { type: 'indemnification', cues: ['indemnify'], heading: /indemni|赔偿/i, says: rx(String.raw`\b(?:shall|will|agrees?\s+to)\b${gap(40)}\bindemnify\b`) },
  { type: 'limitationOfLiability', heading: /\bliabilit/i },
  { type: 'representations', heading: /representations?|warrant(?:y|ies)|disclaimer|声明|保证|陈述/i },
  { type: 'termAndTermination', heading: /\bterm\b|terminat|cancellation|终止|解除/i, weak: /\bterm\b|\bterminat|cancel|终止|解除/i },
  {
    type: 'forceMajeure',
    cues: ['force majeure', 'of god'],
    heading: /force\s+majeure|act\s+of\s+god|excusable\s+delay|不可抗力/i,
    says: /\bforce\s+majeure\b|acts?\s+of\s+god/i,
  },
  {
    type: 'disputeResolution',
    cues: ['arbitra', 'jurisdiction', 'jury', '仲裁'],
    heading: /arbitrat|dispute|jurisdiction|venue|mediation|litigation|jury|equitable\s+relief|injuncti|争议|仲裁|管辖/i,
    says: rx(
      String.raw`\b(?:submit|settled|resolved|referred)\b${gap(80)}\barbitration|\bexclusive\s+jurisdiction\b|\bwaives?\b${gap(60)}\bjury|提交${gap(30)}仲裁`,
    ),
  },
  {
    type: 'notices',
    cues: ['notice'],
    heading: /^notices?\b|\bnotices?$|communications|通知|送达/i,
    says: rx(String.raw`\b(?:all|any)\s+notices?\b${gap(120)}\bin\s+writing\b`),
  },
  {
    type: 'amendment',
    cues: ['amended', 'modified'],
    heading: /amendments?|modifications?|变更|修改/i,
    says: rx(String.raw`\bthis\s+(?:\w+\s+)?agreement\b${gap(60)}\b(?:amended|modified)\b${gap(80)}\b(?:writing|written)`),
  },
  { type: 'waiver', cues: ['waiver'], heading: /\bwaivers?\b/i, says: rx(String.raw`\bno\s+(?:waiver|failure|delay)\b${gap(120)}\bwaiver`) },
  {
    type: 'severability',
    cues: ['invalid', 'unenforceable', 'illegal'],
    heading: /severab|partial\s+invalidity|invalid\s+provision/i,
    says: rx(String.raw`\b(?:invalid|unenforceable|illegal)\b${gap(160)}\b(?:remain|remaining|other)\b${gap(60)}\b(?:provisions?|effect|terms)`),
  },
  {
    type: 'entireAgreement',
    cues: ['entire', 'complete', 'supersede'],
    heading: /entire\s+agreement|integration|complete\s+agreement|merger\s+clause|完整协议/i,
    says: rx(String.raw`\b(?:entire|complete)\s+(?:agreement|understanding)\b${gap(120)}\b(?:parties|supersede)|\bsupersedes?\b${gap(80)}\b(?:prior|previous)`),
  },
  {
    type: 'counterparts',
    cues: ['counterpart'],
    heading: /counterparts?|facsimile|electronic\s+signature|份数|文本/i,
    says: rx(String.raw`\b(?:executed|signed)\b${gap(60)}\bcounterparts`),
  },
  { type: 'survival', cues: ['survive'], heading: /surviv/i, says: rx(String.raw`\bsurvive\b${gap(80)}\b(?:terminat|expir)`) },
  {
    type: 'relationship',
    cues: ['independent', 'partnership', 'joint venture', 'agency'],
    heading: /relationship|independent\s+contractors?|no\s+(?:agency|partnership)|joint\s+venture/i,
    says: rx(String.raw`\bindependent\s+contractors?\b|\b(?:partnership|joint\s+venture|agency)\b${gap(60)}\b(?:between|relationship)`),
  },
  { type: 'compliance', heading: /complian|export|anti-?(?:corruption|bribery)|sanctions|applicable\s+laws|合规/i },
  { type: 'publicity', cues: ['press'], heading: /publicity|press\s+release|public\s+(?:announcement|statement)/i, says: /\bpress\s+releases?\b/i },
];
