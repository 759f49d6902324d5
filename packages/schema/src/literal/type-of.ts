import type { KubernetesObject } from '@keelson/apimachinery';
import type { StructuralSchema } from './structural-schema.ts';

/**
 * The TypeScript type of the values of a structural literal. A property is optional unless `required` names it; a
 * value without a known type is `unknown`.
 */
export type TypeOf<S> = S extends { readonly nullable: true } ? ValueOf<S> | null : ValueOf<S>;

type ValueOf<S> = S extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : S extends { readonly 'x-kubernetes-int-or-string': true }
    ? number | string
    : S extends { readonly type: 'array'; readonly items: infer Items }
      ? TypeOf<Items>[]
      : S extends { readonly type: 'object' }
        ? EmbeddedOf<S> & MembersOf<S>
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

type MembersOf<S> = S extends { readonly properties: infer Properties }
  ? Flat<PropertiesOf<Properties, RequiredOf<S>>> & UnknownOf<S>
  : S extends { readonly additionalProperties: infer Values extends StructuralSchema }
    ? Record<string, TypeOf<Values>>
    : UnknownOf<S>;

type UnknownOf<S> = S extends { readonly 'x-kubernetes-preserve-unknown-fields': true }
  ? Record<string, unknown>
  : object;

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

type PropertiesOf<Properties, Required> = {
  -readonly [Name in keyof Properties as Name extends Required ? Name : never]: TypeOf<
    Properties[Name]
  >;
} & {
  -readonly [Name in keyof Properties as Name extends Required ? never : Name]?: TypeOf<
    Properties[Name]
  >;
};

type Flat<T> = { [Name in keyof T]: T[Name] };
