import { kubernetesVersion } from '../kinds/builtin-resources.ts';
import {
  acceptsAggregated,
  aggregatedContentType,
  aggregatedDiscovery,
} from '../discovery/aggregated-discovery.ts';
import { LegacyDiscovery } from '../discovery/legacy-discovery.ts';
import type { KubernetesVersion } from '../releases/kubernetes-version.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import { respond, sendJson, sendNoSuchPath, sendStatus, sendText } from '../http/response.ts';
import type { ApiRequest } from '../http/api-request.ts';
import type { ServerPages } from '../pages/server-pages.ts';
import { type HealthEndpoint, healthReport, isHealthCheck } from '../pages/health-checks.ts';
import { methodNotAllowed, resourceNotFound } from '../status-errors/status-errors.ts';

export interface PathContext {
  readonly registry: ResourceRegistry;
  readonly version: KubernetesVersion;
  /** Handles requests below `/openapi`. */
  openApi(request: ApiRequest): void | Promise<void>;
  /** Returns `host:port` of the server. */
  address(): string;
  readonly pages: ServerPages;
}

/** First segments of the served paths. */
const roots: ReadonlySet<string> = new Set([
  '',
  'api',
  'apis',
  'flagz',
  'healthz',
  'livez',
  'metrics',
  'openapi',
  'readyz',
  'statusz',
  'version',
]);

/** Routes requests to paths without resources: discovery, OpenAPI, health and version. */
export class PathRouter {
  readonly #context: PathContext;
  readonly #discovery: LegacyDiscovery;

  constructor(context: PathContext) {
    this.#context = context;
    this.#discovery = new LegacyDiscovery(context.registry);
  }

  async handle(request: ApiRequest): Promise<void> {
    const { path } = request.info;
    if (path.startsWith('/api') && path.includes('//')) throw resourceNotFound();
    if (path.includes('//')) return sendNoSuchPath(request.response);
    const parts = path.split('/').filter((part) => part !== '');
    if (!roots.has(parts[0] ?? '')) return sendNoSuchPath(request.response);
    if (request.method !== 'GET' && !takesAnyMethod(path)) throw methodNotAllowed();
    switch (parts[0]) {
      case undefined:
        return sendJson(request.response, 200, { paths: this.#paths() });
      case 'version':
        return sendJson(request.response, 200, versionInfo(this.#context.version));
      case 'healthz':
      case 'livez':
      case 'readyz':
        return sendHealth(request, parts[0], parts.slice(1));
      case 'metrics':
      case 'statusz':
      case 'flagz':
        return this.#context.pages.handle(request);
      case 'api':
      case 'apis':
        return this.#discover(request, parts);
      default:
        return this.#context.openApi(request);
    }
  }

  #discover(request: ApiRequest, parts: readonly string[]): void {
    const { response } = request;
    const core = parts[0] === 'api';
    const [group = '', version = ''] = core ? ['', parts[1]] : parts.slice(1);
    const isRoot = parts.length === 1;
    if (isRoot && acceptsAggregated(request.headers.accept)) {
      const document = aggregatedDiscovery(this.#context.registry, core);
      const body = `${JSON.stringify(document)}\n`;
      return respond(response, 200, body, { contentType: aggregatedContentType });
    }
    const found = this.#found({ core, isRoot, group, version });
    if (found !== undefined) return sendJson(response, 200, found);
    if (core || this.#context.registry.servesGroup(group)) {
      return sendStatus(response, resourceNotFound());
    }
    return sendNoSuchPath(response);
  }

  #found(target: {
    core: boolean;
    isRoot: boolean;
    group: string;
    version: string;
  }): object | undefined {
    if (target.isRoot) {
      return target.core
        ? this.#discovery.coreVersions(this.#context.address())
        : this.#discovery.groups();
    }
    if (target.version !== '') return this.#discovery.resources(target.group, target.version);
    return this.#discovery.group(target.group);
  }

  #paths(): string[] {
    const groups = this.#context.registry.groups().filter(({ group }) => group !== '');
    const apis = groups.flatMap(({ group, versions }) => [
      `/apis/${group}`,
      ...versions.map((version) => `/apis/${group}/${version}`),
    ]);
    return ['/api', '/api/v1', '/apis', ...apis.toSorted(), ...otherPaths];
  }
}

const otherPaths = [
  '/flagz',
  '/healthz',
  '/livez',
  '/metrics',
  '/metrics/slis',
  '/openapi/v2',
  '/openapi/v3',
  '/readyz',
  '/statusz',
  '/version',
];

/** Handlers of these paths in kube-apiserver ignore the method. */
function takesAnyMethod(path: string): boolean {
  return /^\/(?:(?:apis\/?|(?:flagz|healthz|livez|metrics|readyz|openapi|statusz)(?:\/.*)?)?)$/.test(
    path,
  );
}

function sendHealth(request: ApiRequest, endpoint: HealthEndpoint, check: readonly string[]): void {
  const name = check.join('/');
  const isKnown = name === '' ? !request.info.path.endsWith('/') : isHealthCheck(endpoint, name);
  if (!isKnown) return sendNoSuchPath(request.response);
  const isReport = name === '' && request.query.has('verbose');
  const text = isReport ? healthReport(endpoint, request.query.getAll('exclude')) : 'ok';
  return sendText(request.response, 200, text);
}

/** The version whose behaviour the server has. Clients derive the supported features from it. */
function versionInfo(version: KubernetesVersion): object {
  const gitVersion = kubernetesVersion(version);
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion,
    gitCommit: 'keelson',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  };
}
