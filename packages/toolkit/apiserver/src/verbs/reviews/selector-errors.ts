import { fieldSelectorRefusal } from '../../resources/field-selector-refusal.ts';
import { labelSelectorRefusal } from '../../resources/label-selector-refusal.ts';

/** A selector in an access review, by which a list is restricted. */
export interface ReviewedSelector {
  readonly rawSelector?: string;
  readonly requirements?: readonly ReviewedRequirement[];
}

interface ReviewedRequirement {
  readonly operator?: string;
  readonly values?: readonly string[];
}

/** The selectors of an access review. */
export interface ReviewedSelectors {
  readonly fieldSelector?: ReviewedSelector;
  readonly labelSelector?: ReviewedSelector;
}

/**
 * Returns the `evaluationError` of an access review: the selectors that the decision ignores because it does not know their
 * operators, or because they cannot be parsed. Empty if it knows all.
 */
export function selectorErrors({ fieldSelector, labelSelector }: ReviewedSelectors): string {
  const errors = [
    selectorError('fieldSelector', fieldSelector, isKnownField, fieldSelectorRefusal),
    selectorError('labelSelector', labelSelector, isKnownLabel, labelSelectorRefusal),
  ];
  return errors.filter((text) => text !== '').join('; ');
}

function selectorError(
  name: string,
  { rawSelector = '', requirements = [] }: ReviewedSelector = {},
  isKnown: (requirement: ReviewedRequirement) => boolean,
  refusal: (text: string) => string | undefined,
): string {
  const isRefused = rawSelector !== '' && refusal(rawSelector) !== undefined;
  const known = requirements.filter((requirement) => isKnown(requirement)).length;
  if (!isRefused && known === requirements.length) return '';
  const partially = known > 0 ? 'partially ' : '';
  return `spec.resourceAttributes.${name} ${partially}ignored due to parse error`;
}

/** A field is compared with one value. */
function isKnownField({ operator, values = [] }: ReviewedRequirement): boolean {
  return (operator === 'In' || operator === 'NotIn') && values.length === 1;
}

function isKnownLabel({ operator = '' }: ReviewedRequirement): boolean {
  return ['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator);
}
