import type { Project } from '../../project/project.ts';

/** An operator as its manifests describe it. Each text is valid where Kubernetes expects a name, a label or an image. */
export interface Operator {
  /** The name of its Deployment and ServiceAccount, and the beginning of all other names: a DNS label. */
  readonly name: string;
  readonly namespace: string;
  /** The namespaces of its objects; none for all. */
  readonly watchNamespaces: readonly string[];
  /** The version of the package, which is also that of the chart. */
  readonly version: string;
  readonly image: Image;
  readonly metricsPort: number;
  readonly healthPort: number;
  /** Undefined if the operator serves no webhook. */
  readonly webhook: Project['webhook'];
}

/** A reference of an image, in two parts that `:` joins. */
export interface Image {
  /** With a digest instead of a tag it ends with `@sha256`. */
  readonly repository: string;
  readonly tag: string;
}

/** The longest suffix of a name, `-leader-election`, makes a label of 63 characters. */
const MAX_NAME_LENGTH = 47;

const MAX_LABEL_LENGTH = 63;

/** Derives names and labels that every API server accepts from the names of a package. */
export function operatorOf(project: Project): Operator {
  const { name, image, ...rest } = project;
  const { namespace, watchNamespaces, version, metricsPort, healthPort, webhook } = rest;
  return {
    name: labelOf(name),
    namespace,
    watchNamespaces,
    version,
    image: imageOf(image),
    metricsPort,
    healthPort,
    webhook,
  };
}

/** The value of the label for a version: a label has no `+`, and it ends with a letter or a digit. */
export function versionLabel(version: string): string {
  const text = version.replaceAll('+', '_').slice(0, MAX_LABEL_LENGTH);
  return text.replace(/[^A-Za-z0-9]+$/, '');
}

/** The names of Services begin with a letter. */
function labelOf(packageName: string): string {
  const name = packageName.slice(packageName.indexOf('/') + 1).toLowerCase();
  const label = name.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
  const full = /^[a-z]/.test(label) ? label : `operator-${label}`;
  return full.slice(0, MAX_NAME_LENGTH).replace(/-+$/, '');
}

/** The last colon after the last slash begins the tag, or the digest after `@sha256`. */
function imageOf(reference: string): Image {
  const colon = reference.indexOf(':', reference.lastIndexOf('/') + 1);
  const last = reference.lastIndexOf(':');
  if (colon === -1) return { repository: reference, tag: 'latest' };
  return { repository: reference.slice(0, last), tag: reference.slice(last + 1) };
}
