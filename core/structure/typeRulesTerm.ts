// How long an agreement lasts, which law governs it, what its parties may not do beside it, and how it ends or passes on.
//
// Owns: the wording by which these kinds of clause are known, as data; the first of equal weight wins (types.ts).
import { gap, rx, type TypeRule } from './typeWording.ts';

export const TERM_RULES: readonly TypeRule[] = [
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
];
