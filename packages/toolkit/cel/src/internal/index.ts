/**
 * The functions that `@keelson/apiserver`, `@keelson/structural-schema` and `@keelson/workloads` share with this package. They may change in every
 * version, so only packages of the same version may import them.
 */
export { patternProblem } from '../functions/pattern-functions.ts';
export {
  type CelLibrary,
  makeCelLibrary,
  makeDeviceLibrary,
  makePatchLibrary,
} from '../compile/cel-library.ts';
export {
  checkTypes,
  type CompiledExpression,
  compileExpression,
  type CompiledProgram,
  compileProgram,
} from '../compile/compile-expression.ts';
export { givenValue } from '../compile/given-value.ts';
export { MAX_COST } from '../cost/cost-range.ts';
export { MAX_REQUEST_BYTES, type SizedType } from '../cost/sized-type.ts';
export {
  checkConfigKey,
  checkCronJobName,
  checkDns1035Label,
  checkDnsLabel,
  checkLabelValue,
  checkPathSegment,
  checkPortName,
  checkQualifiedName,
  checkStatefulSetName,
  checkSubdomain,
  checkSubdomainWithUnderscores,
  checkWildcardSubdomain,
  type NameCheck,
} from '../schema-formats/name-syntax.ts';
export {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  nanosOfQuantity,
  quantitySyntaxMessage,
  subtractQuantities,
} from '../schema-formats/quantity.ts';
export { quantityType } from '../types/function-declaration.ts';
export type { Expression } from '../syntax/expression.ts';
export { parseExpression } from '../syntax/parse-expression.ts';
export { hasFormat, isKnownFormat } from '../schema-formats/string-format.ts';
export {
  anyType,
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  goTypeName,
  intType,
  listType,
  mapType,
  objectType,
  optionalType,
  parameterOf,
  showType,
  stringType,
  timestampType,
} from '../types/cel-type.ts';
export {
  type AskedResource,
  authorizerType,
  AuthorizerValue,
  type ExpressionAuthorizer,
  ResourceCheck,
  resourceCheckType,
} from '../values/authorization.ts';
export { JsonPatchMessage, jsonPatchMessageType } from '../values/messages/json-patch-message.ts';
export { MessageValue } from '../values/message-value.ts';
export { ObjectMessage, objectMessageType } from '../values/messages/object-message.ts';
export { Duration } from '../values/duration.ts';
export { CostLimitError, EvaluationError, fail } from '../values/evaluation-error.ts';
export { goText as showGoText } from '../values/go/go-text.ts';
export { goTypeOf as showGoType } from '../values/go/go-type.ts';
export { goPatterns } from '../functions/patterns/go-pattern.ts';
export { parseRequestUrl, parseUrl } from '../values/addresses/parse-url.ts';
export { goFields, goLower, goTrim } from '../values/go/go-strings.ts';
export { isFailed, type Outcome, outcomeOf, valueOf } from '../values/outcome.ts';
export { MadeMap, MapValue } from '../values/map-value.ts';
export {
  isList,
  itemsOf,
  type ListIdentity,
  outcomesOf,
  SchemaList,
} from '../values/list-value.ts';
export { Optional } from '../values/optional.ts';
export { quoteText, showValue } from '../values/show-value.ts';
export { UnsignedInt } from '../values/unsigned-int.ts';
export { Timestamp } from '../values/timestamp.ts';
export { typeOfValue } from '../values/type-of-value.ts';
export type { Value } from '../values/value.ts';
