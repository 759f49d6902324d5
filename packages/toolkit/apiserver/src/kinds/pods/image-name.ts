import type { JsonValue } from '@keelson/structural-schema';

/** `Always` for the tag `latest`, also if the image has neither tag nor digest; `IfNotPresent` for an invalid name. */
export function pullPolicyOf(image: JsonValue | undefined): string {
  const reference = typeof image === 'string' ? parse(image) : undefined;
  if (reference === undefined) return 'IfNotPresent';
  const { tag, digest } = reference;
  return tag === 'latest' || (tag === undefined && digest === undefined)
    ? 'Always'
    : 'IfNotPresent';
}

/** Source: `github.com/distribution/reference`. */
const domain =
  '(?:(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?';
const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const form = new RegExp(
  `^(?<name>(?:${domain}/)?${component}(?:/${component})*)(?::(?<tag>\\w[\\w.-]{0,127}))?(?:@(?<digest>[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);

const MAX_NAME_LENGTH = 255;
const digestLengths: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

interface ImageReference {
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** Returns the parts of the name of an image, or undefined for an invalid name. */
function parse(image: string): ImageReference | undefined {
  if (/^[a-f0-9]{64}$/.test(image)) return undefined;
  const { name, tag, digest } = form.exec(withDomain(image))?.groups ?? {};
  if (name === undefined || name.length > MAX_NAME_LENGTH) return undefined;
  if (digest !== undefined && !isDigest(digest)) return undefined;
  return { tag, digest };
}

function isDigest(digest: string): boolean {
  const [algorithm = '', hex = ''] = digest.split(':', 2);
  return hex.length === digestLengths[algorithm] && /^[a-f0-9]+$/.test(hex);
}

/** Adds the domain that an image without one has: its first part is a domain only with a dot, a port or a capital letter. */
function withDomain(image: string): string {
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(slash, 0));
  const isDomain = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  if (slash !== -1 && isDomain) return image;
  return `docker.io/${slash === -1 ? 'library/' : ''}${image}`;
}
