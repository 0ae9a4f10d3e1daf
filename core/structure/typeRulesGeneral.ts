// General kinds: known by their headings; their words are needed only where a contract has none.
//
// Owns: the wording by which these kinds of clause are known, as data; the first of equal weight wins (types.ts).
import { gap, rx, type TypeRule } from './typeWording.ts';

export const GENERAL_RULES: readonly TypeRule[] = [
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
