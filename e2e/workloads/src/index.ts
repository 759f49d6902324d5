// What sessions and storms compare
export { compareTexts, type Agreement } from './compare.ts';
export { normalOutcome, type NormalOutcome } from './normal-form.ts';
