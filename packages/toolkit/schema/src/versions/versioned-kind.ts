import type { KubernetesObject, Scope } from '@keelson/apimachinery';
import type { JsonSchema } from '@keelson/structural-schema';
import {
  kindOfVersion,
  type CustomResourceDefinition,
  type DefinedKind,
} from '../kind/single-kind.ts';
import { checkVersions } from './check-versions.ts';
import { reviewConversion, type ConversionReview } from './conversion-review.ts';
import { clientConfigOf } from './conversion-webhook.ts';
import { KeptFields } from './kept-fields.ts';
import { VersionConverter, type ConversionStep } from './version-converter.ts';
import type {
  VersionedKindOptions,
  VersionInput,
  VersionMap,
  VersionObject,
} from './versioned-options.ts';

/** What `defineKind` makes of a definition with several versions. `resource` and `parse` are those of the hub. */
export interface VersionedKind<
  Versions extends VersionMap,
  Hub extends keyof Versions & string,
  KindScope extends Scope = 'Namespaced',
> extends DefinedKind<
  VersionObject<Versions[Hub], KindScope>,
  VersionInput<Versions[Hub], KindScope>
> {
  /** The name of the hub. */
  readonly hub: Hub;
  /** The token, `parse` and the definition of each version alone. */
  readonly versions: {
    readonly [Name in keyof Versions & string]: DefinedKind<
      VersionObject<Versions[Name], KindScope>,
      VersionInput<Versions[Name], KindScope>
    >;
  };
  /** The definition with every version, to apply to a cluster. */
  readonly crd: CustomResourceDefinition;
  /**
   * Converts an object of any version to the named one, by way of the hub. As the server requires, a conversion
   * changes only labels and annotations in metadata. Throws `CONVERSION_FAILED`.
   */
  readonly convert: <Name extends keyof Versions & string>(
    object: object,
    version: Name,
  ) => VersionObject<Versions[Name], KindScope>;
  /**
   * Returns the response to the body of a request of the API server to the conversion webhook. Throws
   * `CONVERSION_FAILED` for an invalid body.
   */
  readonly review: (body: unknown) => ConversionReview;
}

type Options = VersionedKindOptions<VersionMap, string, Scope>;
type Kinds = Readonly<Record<string, DefinedKind<KubernetesObject>>>;

/** Makes a kind with several versions. Throws `INVALID_OPTION`, `SCHEMA_INVALID` and `RULE_INVALID`. */
export function versionedKind(options: Options): VersionedKind<VersionMap, string, Scope> {
  checkVersions(options);
  const { versions, convert, storage: _, ...names } = options;
  const kinds: Kinds = Object.fromEntries(
    Object.entries(versions).map(([version, own]) => [
      version,
      kindOfVersion({ ...names, ...own, version }, `defineKind.versions.${version}`),
    ]),
  );
  const hub = kinds[convert.hub] as DefinedKind<KubernetesObject>;
  const converter = converterOf(options, kinds);
  return {
    resource: hub.resource,
    parse: hub.parse,
    hub: convert.hub,
    versions: kinds,
    crd: definitionOf(options, kinds),
    convert: (object, version) => converter.convert(object, version),
    review: (body) => reviewConversion(body, converter),
  } as VersionedKind<VersionMap, string, Scope>;
}

function converterOf({ convert, versions }: Options, kinds: Kinds): VersionConverter {
  const { hub } = convert;
  const { resource } = kinds[hub] as DefinedKind<KubernetesObject>;
  const others = Object.keys(versions).filter((version) => version !== hub);
  if (convert.strategy === 'None') {
    const steps = others.map((version) => [version, { from: same, to: same }] as const);
    return new VersionConverter(resource, new Map(steps));
  }
  const steps = others.map((version) => {
    const { [version]: from = same } = convert.from as Steps;
    const { [version]: to = same } = convert.to as Steps;
    return [version, { from, to }] as const;
  });
  const schemas = new Map(Object.entries(kinds).map(([name, kind]) => [name, schemaOf(kind)]));
  const kept = convert.keep && new KeptFields(convert.keep.annotation, schemas);
  return new VersionConverter(resource, new Map(steps), kept);
}

type Steps = Readonly<Record<string, ConversionStep | undefined>>;

function same(object: KubernetesObject): KubernetesObject {
  return object;
}

function schemaOf({ crd }: DefinedKind<KubernetesObject>): JsonSchema {
  const [version] = crd.spec.versions;
  return (version?.schema?.openAPIV3Schema ?? {}) as JsonSchema;
}

function definitionOf(
  { versions, convert, storage = convert.hub }: Options,
  kinds: Kinds,
): CustomResourceDefinition {
  const { crd } = kinds[convert.hub] as DefinedKind<KubernetesObject>;
  const name = crd.metadata?.name ?? '';
  const strategy =
    convert.strategy === 'None'
      ? { strategy: 'None' }
      : {
          strategy: 'Webhook',
          webhook: {
            clientConfig: clientConfigOf(convert.webhook, name),
            conversionReviewVersions: ['v1'],
          },
        };
  const all = Object.keys(versions).flatMap((version) => kinds[version]?.crd.spec.versions ?? []);
  return {
    ...structuredClone(crd),
    spec: {
      ...structuredClone(crd.spec),
      versions: all.map((version) => ({
        ...structuredClone(version),
        storage: version.name === storage,
      })),
      conversion: strategy,
    },
  };
}
