import {
  checkOptions,
  invalidOption,
  type ApiResource,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { jsonEquals } from '@keelson/structural-schema';
import type { CustomResourceDefinition, DefinedKind } from '../kind/define-kind.ts';
import { reviewConversion, type ConversionReview } from './conversion-review.ts';
import { checkWebhook, type ConversionWebhook } from './conversion-webhook.ts';
import type { Spoke } from './define-spoke.ts';
import { VersionConverter } from './version-converter.ts';

/** Describes the versions of a kind for `defineVersions`. */
export interface VersionsOptions<Hub extends KubernetesObject = KubernetesObject> {
  /** The version to and from which every other version is converted, usually the newest one. */
  readonly hub: DefinedKind<Hub>;
  /** The other versions, from `defineSpoke`. */
  readonly spokes: readonly Spoke<Hub>[];
  /** The version in which the server stores objects. Default: the hub's. */
  readonly storage?: string;
  /**
   * The webhook that calls `convert` or `review`. With `None` the server changes only `apiVersion`, which suits versions
   * with the same schema.
   */
  readonly conversion: ConversionWebhook | 'None';
}

/** The versions of one kind. */
export interface DefinedVersions {
  /** The definition with every version: the hub, then the spokes. */
  readonly crd: CustomResourceDefinition;
  /**
   * Converts an object of any version to the version of a token, by way of the hub. As the server requires, a conversion
   * changes only labels and annotations in metadata. Throws `CONVERSION_FAILED`.
   */
  readonly convert: <T extends KubernetesObject>(object: object, to: ApiResource<T>) => T;
  /** Returns the response to the body of a request of the API server to the conversion webhook. */
  readonly review: (body: unknown) => ConversionReview;
}

/** Joins the versions of a kind to one CRD. Throws `INVALID_OPTION` if their names or options contradict each other. */
export function defineVersions<Hub extends KubernetesObject>(
  options: VersionsOptions<Hub>,
): DefinedVersions {
  checkOptions(options, ['hub', 'spokes', 'storage', 'conversion'], 'defineVersions');
  checkVersions(options);
  const converter = new VersionConverter(options.hub.resource, options.spokes);
  return {
    crd: definitionOf(options),
    convert: <T extends KubernetesObject>(object: object, to: ApiResource<T>) =>
      converter.convert(object, to.version) as T,
    review: (body) => reviewConversion(body, converter),
  };
}

function checkVersions<Hub extends KubernetesObject>({
  hub,
  spokes,
  storage,
  conversion,
}: VersionsOptions<Hub>): void {
  const seen = new Set([hub.resource.version]);
  for (const [index, { kind, hub: other }] of spokes.entries()) {
    const option = `defineVersions.spokes[${index}]`;
    if (other !== hub) throw invalidOption(option, 'must be a spoke of this hub');
    const { version } = kind.resource;
    if (seen.has(version))
      throw invalidOption(option, 'must have a version of its own', { version });
    seen.add(version);
    const { versions: _, ...names } = kind.crd.spec;
    const { versions: __, ...expected } = hub.crd.spec;
    if (!jsonEquals(names, expected)) {
      throw invalidOption(option, 'must have the group, names and scope of the hub', { version });
    }
  }
  if (storage !== undefined && !seen.has(storage)) {
    throw invalidOption('defineVersions.storage', `must be one of ${[...seen].join(' ')}`);
  }
  checkConversion(conversion);
}

function checkConversion(conversion: ConversionWebhook | 'None'): void {
  if (conversion === 'None') return;
  const expected = "must be 'None' or have either a service or a url";
  if (typeof conversion !== 'object' || conversion === null) {
    throw invalidOption('defineVersions.conversion', expected);
  }
  checkOptions(conversion, ['caBundle', 'service', 'url'], 'defineVersions.conversion');
  if ((conversion.service === undefined) === (conversion.url === undefined)) {
    throw invalidOption('defineVersions.conversion', expected);
  }
  checkWebhook(conversion);
}

function definitionOf<Hub extends KubernetesObject>({
  hub,
  spokes,
  storage = hub.resource.version,
  conversion,
}: VersionsOptions<Hub>): CustomResourceDefinition {
  const crd = structuredClone(hub.crd);
  const versions = [hub.crd, ...spokes.map(({ kind }) => kind.crd)].flatMap(({ spec }) =>
    structuredClone(spec.versions),
  );
  const strategy =
    conversion === 'None'
      ? { strategy: 'None' }
      : {
          strategy: 'Webhook',
          webhook: { clientConfig: structuredClone(conversion), conversionReviewVersions: ['v1'] },
        };
  return {
    ...crd,
    spec: {
      ...crd.spec,
      versions: versions.map((version) => ({ ...version, storage: version.name === storage })),
      conversion: strategy,
    },
  };
}
