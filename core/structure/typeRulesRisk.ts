// Who bears which risk, who may look into the books, and the last of the kinds of CUAD: exclusivity, dates, parties.
//
// Owns: the wording by which these kinds of clause are known, as data; the first of equal weight wins (types.ts).
import { gap, rx, type TypeRule } from './typeWording.ts';

export const RISK_RULES: readonly TypeRule[] = [
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
];
