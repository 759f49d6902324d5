/**
 * One definition of a custom resource gives its TypeScript type, its token and its CustomResourceDefinition. The
 * schemas are literals in the words of a CRD, or those of a library.
 *
 * - A definition gives a CustomResourceDefinition that the API server accepts and establishes.
 * - A schema that is not structural is refused with its path, the reason and the cure.
 * - A schema of a library becomes the structural schema of the same values, or is refused with its path and the cure.
 * - A keyword, limit, format or length that the API server reads otherwise is carried over exactly, or refused.
 * - An invalid option is refused by its name.
 * - A CEL rule that does not compile, or that may cost too much, is refused with its path and the cure.
 * - An object is parsed to a copy with defaults, or refused with every error that the API server would report.
 * - The library validates the value of the caller, without the defaults of the server.
 * - A transition rule compares the parsed object with the old object.
 * - A conversion goes through the hub, and changes only labels and annotations in metadata.
 * - Two states of a CRD are compared by the effects on stored objects and clients, with the path, the reason and the cure.
 * - A policy is evaluated in tests as the API server evaluates it, and an invalid expression is refused with its path.
 * - A later change of the options changes neither the token nor the definition.
 *
 * @packageDocumentation
 */

// Kinds
export { defineKind } from './definition/define-kind.ts';
export type {
  CustomInput,
  CustomObject,
  CustomResourceDefinition,
  DefinedKind,
} from './kind/single-kind.ts';
export type { ParseOptions } from './parse/object-parser.ts';
export type {
  KindNames,
  KindOptions,
  PrintColumn,
  ScalePaths,
  VersionOptions,
} from './kind/kind-options.ts';

// Versions
export type {
  ConversionFunctions,
  EqualSchemas,
  KeepOptions,
  VersionedKindOptions,
  VersionInput,
  VersionMap,
  VersionObject,
} from './versions/versioned-options.ts';
export type { VersionedKind } from './versions/versioned-kind.ts';
export {
  webhookServicePlaceholder,
  type ConversionWebhook,
} from './versions/conversion-webhook.ts';
export type { ConversionReview } from './versions/conversion-review.ts';

// Compatibility
export { compareCrds } from './compare/compare-crds.ts';
export type { CrdChange } from './compare/crd-change.ts';

// Admission policies
export {
  definePolicy,
  type DefinedPolicy,
  type PolicyViolation,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
} from './policies/define-policy.ts';
export {
  defineMutatingPolicy,
  type DefinedMutatingPolicy,
  type MutatingAdmissionPolicy,
  type MutatingAdmissionPolicyBinding,
  type PolicyPatch,
} from './policies/define-mutating-policy.ts';
export {
  matchConditionProblem,
  type MatchConditionScope,
} from './policies/match-condition-problem.ts';
export type {
  MutatingPolicyOptions,
  PolicyMutation,
  PolicyOptions,
  PolicyParams,
  PolicyResource,
  PolicyRule,
  PolicyTarget,
} from './policies/policy-options.ts';
export type { PolicyRequest } from './policies/policy-request.ts';

// Schemas
export type { SchemaType, StructuralSchema, ValidationRule } from './literal/structural-schema.ts';
export type { InputTypeOf, TypeOf } from './literal/type-of.ts';
export type { KeywordsByPath } from './standard/keywords-by-path.ts';
export type { InputValueOf, SchemaInput, ValueOf } from './standard/schema-input.ts';
export type { StandardSchema } from './standard/standard-schema.ts';
export type { TypeBoxSchema } from './standard/typebox-schema.ts';

// Errors
export { InvalidObjectError } from './parse/invalid-object-error.ts';
export { SchemaError, type SchemaErrorCode } from './errors.ts';
