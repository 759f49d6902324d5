import { readFile } from 'node:fs/promises';
import { join, posix, resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { MemberReader } from './member-reader.ts';

/**
 * The folder of an operator: its `package.json` with the member `keelson`. Paths are relative to the folder, have `/` and
 * never leave it.
 */
export interface Project {
  /** The absolute path. */
  readonly folder: string;
  /** The name of the package, with its scope. */
  readonly name: string;
  /** Default: 0.0.0. */
  readonly version: string;
  /** The modules that export results of `defineKind`. Default: none. */
  readonly kinds: readonly string[];
  /** The modules that export results of `definePolicy`. Default: none. */
  readonly policies: readonly string[];
  /** The folder of CRD files. Default: `config/crd`. */
  readonly crds: string;
  /** The file with the Roles and ClusterRoles of the operator. Default: `config/role.yaml`. */
  readonly roles: string;
  /** The folder of Grafana dashboards in JSON, which the manifests contain. Default: `config/dashboards`. */
  readonly dashboards: string;
  /** The program. Default: `src/main.ts`. */
  readonly main: string;
  /** The image of the container. Default: the name of the package without scope, and its version. */
  readonly image: string;
  /** The namespace of the operator. Default: the name of the package without scope. */
  readonly namespace: string;
  /** The namespaces of the operator's objects, for the chart and the Kustomize component. Default: none, for all. */
  readonly watchNamespaces: readonly string[];
  /** The port of the metrics, over HTTPS. Default: 8443. */
  readonly metricsPort: number;
  /** The port of the probes. Default: 8081. */
  readonly healthPort: number;
  /** The webhook that the operator serves. Default: none. */
  readonly webhook?: {
    /** Default: 9443. */
    readonly port: number;
    /** The path of its URL, without `modules`. Default: `/validate`. */
    readonly path?: string;
    /**
     * The modules that export results of `defineWebhook`; none for conversions alone. Without the member one webhook
     * validates all kinds in `crds`.
     */
    readonly modules?: readonly string[];
  };
}

const members = [
  'kinds',
  'policies',
  'crds',
  'roles',
  'dashboards',
  'main',
  'image',
  'namespace',
  'watchNamespaces',
  'metricsPort',
  'healthPort',
  'webhook',
];

/** Reads `package.json` of a folder. Throws `INVALID_PROJECT` with the file and the name of the wrong member. */
export async function readProject(folder: string): Promise<Project> {
  const file = join(folder, 'package.json');
  const manifest = new MemberReader(file, '', await readJson(file));
  const name = manifest.text('name', undefined, packageProblem);
  const version = manifest.text('version', '0.0.0', versionProblem);
  const keelson = manifest.object('keelson') ?? new MemberReader(file, 'keelson', {});
  keelson.expectOnly(members);
  return {
    folder: resolve(folder),
    name,
    version,
    ...pathsOf(keelson),
    image: keelson.text('image', defaultImage(name, version), imageProblem),
    namespace: keelson.text('namespace', labelOf(name), namespaceProblem),
    watchNamespaces: namespacesOf(keelson),
    ...portsOf(keelson),
  };
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse((await readFile(file, 'utf8')).replace(/^\uFEFF/, ''));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError('INVALID_PROJECT', { file, reason }, { cause });
  }
}

type Paths = Pick<Project, 'kinds' | 'policies' | 'crds' | 'roles' | 'dashboards' | 'main'>;

function pathsOf(keelson: MemberReader): Paths {
  return {
    kinds: modulesOf(keelson, 'kinds'),
    policies: modulesOf(keelson, 'policies'),
    crds: normalPath(keelson.text('crds', 'config/crd', pathProblem)),
    roles: normalPath(keelson.text('roles', 'config/role.yaml', pathProblem)),
    dashboards: normalPath(keelson.text('dashboards', 'config/dashboards', pathProblem)),
    main: normalPath(keelson.text('main', 'src/main.ts', moduleProblem)),
  };
}

function modulesOf(keelson: MemberReader, name: string): readonly string[] {
  const modules = keelson.texts(name, moduleProblem).map(normalPath);
  if (new Set(modules).size < modules.length) {
    throw keelson.invalid(name, 'must name each module once');
  }
  return modules;
}

/** Kustomize refuses two Roles of one namespace and name. */
function namespacesOf(keelson: MemberReader): readonly string[] {
  const namespaces = keelson.texts('watchNamespaces', namespaceProblem);
  if (new Set(namespaces).size < namespaces.length) {
    throw keelson.invalid('watchNamespaces', 'must name each namespace once');
  }
  return namespaces;
}

type Ports = Pick<Project, 'metricsPort' | 'healthPort' | 'webhook'>;

function portsOf(keelson: MemberReader): Ports {
  const metricsPort = keelson.port('metricsPort', 8443);
  const healthPort = keelson.port('healthPort', 8081);
  if (healthPort === metricsPort) {
    throw keelson.invalid('healthPort', 'must differ from metricsPort');
  }
  const webhook = keelson.object('webhook');
  webhook?.expectOnly(['port', 'path', 'modules']);
  if (webhook === undefined) return { metricsPort, healthPort };
  const port = webhook.port('port', 9443);
  if (port === metricsPort || port === healthPort) {
    throw webhook.invalid('port', 'must differ from metricsPort and healthPort');
  }
  const modules = modulesOf(webhook, 'modules');
  if (webhook.has('modules')) {
    // The declarations have the paths.
    webhook.expectOnly(['port', 'modules']);
    return { metricsPort, healthPort, webhook: { port, modules } };
  }
  const path = webhook.text('path', '/validate', urlPathProblem);
  return { metricsPort, healthPort, webhook: { port, path } };
}

/** Removes `./`, repeated and trailing slashes. */
function normalPath(path: string): string {
  return posix.normalize(path).replace(/\/$/, '');
}

function pathProblem(path: string): string | null {
  if (path === '' || /[\\\p{Cc}]/u.test(path)) return 'must be a path with "/"';
  const normal = normalPath(path);
  const leaves = posix.isAbsolute(path) || /^(?:\.\.(?:\/|$)|[A-Za-z]:)/.test(normal);
  if (leaves || normal === '.') return 'must be a path below the folder of the project';
  return null;
}

function moduleProblem(path: string): string | null {
  const isModule = /\.[cm]?[jt]s$/.test(path) && !/\.d\.[cm]?ts$/.test(path);
  return pathProblem(path) ?? (isModule ? null : 'must be a .ts or .js file');
}

/** The names that npm accepts for new packages. */
function packageProblem(name: string): string | null {
  const isName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name);
  return isName && name.length <= 214 ? null : 'must be the name of an npm package';
}

/** Semantic versions, which Helm requires: no part between the dots is empty, and numbers have no leading zeros. */
function versionProblem(version: string): string | null {
  const number = '(?:0|[1-9]\\d*)';
  const identifier = `(?:${number}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;
  const release = `${number}\\.${number}\\.${number}`;
  const prerelease = `(?:-${identifier}(?:\\.${identifier})*)?`;
  const build = '(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?';
  const isVersion = new RegExp(`^${release}${prerelease}${build}$`).test(version);
  return isVersion ? null : 'must be a version such as 1.2.3';
}

/** References in the grammar of the OCI distribution, which the kubelet parses: HOST/PATH:TAG@DIGEST. */
function imageProblem(image: string): string | null {
  const label = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
  const host = `(?:${label}(?:\\.${label})*(?::\\d+)?/)?`;
  const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
  const tag = String.raw`(?::\w[\w.-]{0,127})?`;
  const digest = '(?:@[A-Za-z][A-Za-z0-9]*:[0-9a-fA-F]{32,})?';
  const reference = new RegExp(`^${host}${component}(?:/${component})*${tag}${digest}$`);
  const isImage = image.length <= 512 && reference.test(image);
  return isImage ? null : 'must be the reference of an image, such as ghcr.io/me/operator:1.2.3';
}

function namespaceProblem(namespace: string): string | null {
  const isLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(namespace);
  return isLabel ? null : 'must be a DNS label: lower-case letters, digits and "-"';
}

/** The API server requires of each segment that it is a DNS subdomain (`clientConfig.service.path`). */
function urlPathProblem(path: string): string | null {
  const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
  const isPath = new RegExp(`^(?:/${label}(?:\\.${label})*)+$`).test(path);
  return isPath
    ? null
    : 'must be a path of lower-case letters, digits, "-" and ".", such as /validate';
}

/** Turns the name of a package into a DNS label. */
function labelOf(name: string): string {
  const label = shortName(name).replaceAll(/[^a-z0-9]+/g, '-');
  return label.slice(0, 63).replaceAll(/^-|-$/g, '');
}

/** A tag has no `+`; Helm replaces it by `_` too. */
function defaultImage(name: string, version: string): string {
  return `${labelOf(name)}:${version.replaceAll('+', '_')}`;
}

function shortName(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}
