// The wording by which provisions are known: for each clause type its heading and what its sentences say, as data in four files by subject.
// How heading and words are weighed is types.ts.
import { TERM_RULES } from './typeRulesTerm.ts';
import { PROPERTY_RULES } from './typeRulesProperty.ts';
import { RISK_RULES } from './typeRulesRisk.ts';
import { GENERAL_RULES } from './typeRulesGeneral.ts';
import type { TypeRule } from './typeWording.ts';

/** Special kinds before general ones: the first of equal weight wins. */
export const TYPE_RULES: readonly TypeRule[] = [...TERM_RULES, ...PROPERTY_RULES, ...RISK_RULES, ...GENERAL_RULES];
