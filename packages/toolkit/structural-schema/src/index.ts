/**
 * Structural schemas of CustomResourceDefinitions, evaluated as kube-apiserver 1.36 does. `@keelson/apiserver` and
 * `@keelson/schema` share it; its functions may change in every version.
 *
 * - A missing value takes its default, also inside objects, lists and maps that are present.
 * - A value is validated with every error, its path and the words of kube-apiserver.
 * - A rule that does not compile, or that may cost too much, is refused before it is evaluated.
 * - The expressions of an admission policy have the variables, the budgets and the messages of kube-apiserver.
 * - The rules of an object share one cost budget, and a rule with `oldSelf` is skipped without an old value.
 *
 * @packageDocumentation
 */

// JSON
export {
  asJson,
  cloneJson,
  isJsonNumber,
  isJsonObject,
  isNumeric,
  jsonEquals,
  ownValue,
  setOwn,
  sortMembers,
  type JsonObject,
  type JsonValue,
} from './json/json-value.ts';
export { exactText, jsonText, parseExact, parseNumbers } from './json/exact-json.ts';
export { withoutLoneSurrogates } from './json/surrogate-escapes.ts';
export { integerOf, NumberText, rawJson } from './json/number-text.ts';

// Causes and paths
export {
  duplicate,
  forbidden,
  invalid,
  invalidText,
  notFound,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from './validation/field-error.ts';
export { childPath, indexPath, keyPath, type FieldPath } from './validation/field-path.ts';

// Values
export type { JsonSchema, ValidationExpression } from './validation/json-schema.ts';
export { defaultValues, dropNulls } from './validation/default-values.ts';
export { unknownFormats } from './validation/known-format.ts';
export { patternSyntaxProblem, PatternMatcher } from './validation/pattern-matcher.ts';
export { unknownMembers } from './validation/unknown-members.ts';
export { validateContent, type ContentOptions } from './values/validate-content.ts';
export { validateEmbedded } from './values/validate-embedded.ts';
export { newListCauses, validateValue } from './values/validate-value.ts';

// Schemas of definitions
export { type DecodeEmbedded, hasDefaults } from './definition/default-rules.ts';
export { unsupportedKeyword } from './definition/unsupported-keyword.ts';
export { type RootSchemaOptions, validateRootSchema } from './definition/validate-root-schema.ts';

// Scale
export { goText } from './values/go-text.ts';
export { type ReplicaPaths, validateScale, validateScaleStatus } from './values/validate-scale.ts';

// Metadata
export {
  standardFinalizers,
  validateCommonMetadata,
  validateCommonNames,
  validateFinalizers,
  validateKindMetadataChange,
  validateLabels,
  validateMetadata,
  validateMetadataChange,
} from './validation/validate-metadata.ts';

// Rules
export { celLibrary } from './rules/cel-library.ts';
export { checkedRules, type CheckedRules } from './rules/checked-rules.ts';
export { compileRules, type RuleTree } from './rules/rule-tree.ts';
export { escapeFieldName } from './rules/field-name.ts';
export { evaluateRules, type ComparedValue, type RuleFindings } from './rules/evaluate-rules.ts';
export { validateCompilation, validateExpressions } from './rules/validate-expressions.ts';

// Admission policies
export {
  type AdmissionExpression,
  BudgetError,
  compileAdmissionExpression,
  type CostBudget,
  type ExpressionResult,
  type ExpressionScope,
  POLICY_BUDGET,
} from './policies/admission-expression.ts';
export { ExpressionInput, type InputObjects } from './policies/expression-input.ts';
export { GoValue } from './policies/go-value.ts';
export {
  type CompiledMutation,
  expressionOf,
  MutatingPolicy,
  type MutatingPolicyExpressions,
  type Mutation,
  type MutationPatch,
  mutationType,
  type PatchType,
} from './policies/mutating-policy.ts';
export { MutationError } from './policies/mutation-error.ts';
export type { PatchOperation } from './policies/patch-value.ts';
export { type MatchCondition, MatchConditions } from './policies/match-conditions.ts';
export {
  type ExpressionWarning,
  expressionWarnings,
  type PolicyKind,
  policyObjectType,
} from './policies/policy-types.ts';
export { admissionObjectType } from './policies/object-type.ts';
export { type PolicyVariable, PolicyVariables } from './policies/policy-variables.ts';
export { isIdentifier, VariableTypes } from './policies/variable-types.ts';
export {
  compiledVariables,
  type PolicyDenial,
  type PolicyDenials,
  type PolicyExpressions,
  ValidatingPolicy,
  type ValidatingPolicyExpressions,
} from './policies/validating-policy.ts';

// Tools
export { lazy } from './lazy.ts';
