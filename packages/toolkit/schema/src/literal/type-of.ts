import type { KubernetesObject } from '@keelson/apimachinery';
import type { StructuralSchema } from './structural-schema.ts';

/**
 * The TypeScript type of the values of a structural literal, with their defaults. A property is optional unless it has a
 * default or `required` names it; a value without a known type is `unknown`.
 */
export type TypeOf<S> = FormOf<S, 'stored'>;

/** As `TypeOf`, without defaults: a property with a default is optional, also if `required` names it. */
export type InputTypeOf<S> = FormOf<S, 'submitted'>;

/** With defaults, as the server stores a value, or without, as a client may submit it. */
type Form = 'stored' | 'submitted';

type FormOf<S, F extends Form> = S extends { readonly nullable: true }
  ? ValueOf<S, F> | null
  : ValueOf<S, F>;

type ValueOf<S, F extends Form> = S extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : S extends { readonly 'x-kubernetes-int-or-string': true }
    ? number | string
    : S extends { readonly type: 'array'; readonly items: infer Items }
      ? FormOf<Items, F>[]
      : S extends { readonly type: 'object' }
        ? EmbeddedOf<S> & MembersOf<S, F>
        : S extends { readonly type: infer Type extends keyof Scalars }
          ? Scalars[Type]
          : unknown;

interface Scalars {
  readonly boolean: boolean;
  readonly integer: number;
  readonly number: number;
  readonly string: string;
}

type EmbeddedOf<S> = S extends { readonly 'x-kubernetes-embedded-resource': true }
  ? KubernetesObject
  : unknown;

type MembersOf<S, F extends Form> = S extends { readonly properties: infer Properties }
  ? Flat<PropertiesOf<Properties, RequiredOf<S>, F>> & UnknownOf<S>
  : S extends { readonly additionalProperties: infer Values extends StructuralSchema }
    ? Record<string, FormOf<Values, F>>
    : UnknownOf<S>;

type UnknownOf<S> = S extends { readonly 'x-kubernetes-preserve-unknown-fields': true }
  ? Record<string, unknown>
  : object;

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

type PropertiesOf<Properties, Required, F extends Form> = {
  -readonly [
    Name in keyof Properties as IsPresent<Properties[Name], Name, Required, F> extends true
      ? Name
      : never
  ]: FormOf<Properties[Name], F>;
} & {
  -readonly [
    Name in keyof Properties as IsPresent<Properties[Name], Name, Required, F> extends true
      ? never
      : Name
  ]?: FormOf<Properties[Name], F>;
};

/** Whether an object always has a property. */
type IsPresent<S, Name, Required, F extends Form> = S extends { readonly default: unknown }
  ? F extends 'stored'
    ? true
    : false
  : Name extends Required
    ? true
    : false;

type Flat<T> = { [Name in keyof T]: T[Name] };
