import { jsonText } from '@keelson/structural-schema';
import type { ApiRequest } from '../http/api-request.ts';
import { respond, sendNoSuchPath, sendText } from '../http/response.ts';
import { yamlText } from '../http/yaml-text.ts';
import { kubernetesVersion } from '../kinds/builtin-resources.ts';
import type { KubernetesVersion } from '../releases/kubernetes-version.ts';
import { failure } from '../status-errors/status-errors.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { Storage } from '../storage/storage.ts';
import type { WatchHub } from '../watch/watch-hub.ts';
import { checksOf } from './health-checks.ts';
import { type Metric, metricsText, metricsType, type Sample } from './metrics-text.ts';
import { nominalSeats } from './seats.ts';

/** The parts of the server that its pages describe. */
export interface ServerPagesContext {
  readonly storage: Storage;
  readonly hub: WatchHub;
  /** The store of PriorityLevelConfigurations. */
  readonly levels: ResourceStore;
  readonly version: KubernetesVersion;
  /** The start of the server in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The settings of the server, under the names of the flags of kube-apiserver. */
  flags(): Readonly<Record<string, string>>;
}

const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.\n';
const accepted = 'application/json, application/yaml, text/plain';
const paths = ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version'];

/** The pages of a server about itself: a small part of the metrics of kube-apiserver, and its status and flags (KEP-4827, KEP-4828). */
export class ServerPages {
  readonly #context: ServerPagesContext;

  constructor(context: ServerPagesContext) {
    this.#context = context;
  }

  async handle(request: ApiRequest): Promise<void> {
    const { info, response } = request;
    switch (info.path) {
      case '/metrics':
        return respond(response, 200, metricsText(this.#metrics()), { contentType: metricsType });
      case '/metrics/slis':
        return respond(response, 200, metricsText([healthMetric()]), { contentType: metricsType });
      case '/statusz':
        return sendPage(request, 'Statusz', this.#status(request.now));
      case '/flagz':
        return sendPage(request, 'Flagz', { flags: this.#context.flags() });
      default:
        return sendNoSuchPath(response);
    }
  }

  #metrics(): Metric[] {
    const seats = nominalSeats(this.#context.levels);
    return [
      {
        name: 'apiserver_flowcontrol_nominal_limit_seats',
        help: '[BETA] Nominal number of execution seats configured for each priority level',
        samples: Array.from(seats, ([priority_level, value]) => ({
          labels: { priority_level },
          value,
        })),
      },
      {
        name: 'apiserver_longrunning_requests',
        help: '[STABLE] Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.',
        samples: this.#watches(),
      },
      {
        name: 'apiserver_resource_objects',
        help: '[ALPHA] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.',
        samples: Array.from(this.#context.storage.stores(), ({ group, plural, size }) => ({
          labels: { group, resource: plural },
          value: size,
        })),
      },
    ];
  }

  #watches(): Sample[] {
    const labels = this.#context.hub.all().map(({ info: { group, version, resource } }) => ({
      component: 'apiserver',
      group,
      resource,
      verb: 'WATCH',
      version,
    }));
    const alike = Map.groupBy(labels, (each) => Object.values(each).join(' '));
    return [...alike.values()].flatMap(([first, ...others]) =>
      first === undefined ? [] : { labels: first, value: others.length + 1 },
    );
  }

  #status(now: number): Readonly<Record<string, unknown>> {
    const { startedAt, version } = this.#context;
    return {
      startTime: `${new Date(startedAt).toISOString().slice(0, 19)}Z`,
      uptimeSeconds: Math.floor((now - startedAt) / 1000),
      goVersion: '',
      binaryVersion: kubernetesVersion(version).slice(1),
      emulationVersion: version,
      paths,
    };
  }
}

function healthMetric(): Metric {
  const types = ['healthz', 'livez', 'readyz'] as const;
  return {
    name: 'kubernetes_healthcheck',
    help: '[STABLE] This metric records the result of a single healthcheck.',
    samples: types.flatMap((type) =>
      checksOf(type).map((name) => ({ labels: { name, type }, value: 1 })),
    ),
  };
}

/** Responds with text, or with the object that `Accept` names. */
async function sendPage(
  { headers: { accept = '' }, response }: ApiRequest,
  kind: 'Statusz' | 'Flagz',
  content: Readonly<Record<string, unknown>>,
): Promise<void> {
  const form = formOf(accept, kind);
  if (form === 'text/plain') return sendText(response, 200, textOf(kind, content));
  const object = {
    kind,
    apiVersion: 'config.k8s.io/v1beta1',
    metadata: { name: 'apiserver' },
    ...content,
  };
  const text = form === 'application/yaml' ? await yamlText(object) : `${jsonText(object)}\n`;
  const contentType = `${form};g=config.k8s.io;v=v1beta1;as=${kind}`;
  respond(response, 200, text, { contentType });
}

/** Chooses the media type of the response. JSON and YAML need the kind and its version. */
function formOf(accept: string, kind: string): string {
  if (accept.trim() === '') return 'text/plain';
  for (const clause of accept.split(',')) {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
    if (type === 'text/plain' || type === '*/*') return 'text/plain';
    const isKnown = ['g=config.k8s.io', 'v=v1beta1', `as=${kind}`].every((each) =>
      parameters.includes(each),
    );
    if (isKnown && (type === 'application/json' || type === 'application/yaml')) return type;
  }
  const message = `only the following media types are accepted: ${accepted}`;
  throw failure(406, 'NotAcceptable', message);
}

function textOf(kind: 'Statusz' | 'Flagz', content: Readonly<Record<string, unknown>>): string {
  const head = `\napiserver ${kind.toLowerCase()}\n${warning}`;
  if (kind === 'Flagz') {
    const flags = Object.entries(content['flags'] ?? {});
    return `${head}${flags.map(([name, value]) => `${name}=${String(value)}\n`).join('')}`;
  }
  const lines = [
    ['Started', content['startTime']],
    ['Up', uptimeText(Number(content['uptimeSeconds']))],
    ['Go version', content['goVersion']],
    ['Binary version', content['binaryVersion']],
    ['Emulation version', content['emulationVersion']],
    ['Paths', paths.join(' ')],
  ];
  return `${head}\n${lines.map(([name, value]) => `${String(name)}: ${String(value)}\n`).join('')}\n`;
}

function uptimeText(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${hours} hr ${twoDigits(minutes)} min ${twoDigits(seconds % 60)} sec`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
