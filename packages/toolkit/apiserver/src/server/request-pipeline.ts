import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasSeveralHosts, StatusError, type Clock } from '@keelson/apimachinery';
import { EventEmitter } from 'eventemitter3';
import type { AccessAttributes, Authorizer } from '../auth/authorizer.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { ClientCertificates } from '../auth/client-certificates.ts';
import { forbiddenStatus } from '../auth/forbidden.ts';
import type { KubernetesVersion } from '../releases/kubernetes-version.ts';
import { Impersonation } from '../auth/impersonation/impersonation.ts';
import { takeWantedUser } from '../auth/impersonation/impersonation-headers.ts';
import type { AccessRecord } from '../auth/observed/access-record.ts';
import type { RequestOrigin } from '../auth/request-origin.ts';
import type { User } from '../auth/user.ts';
import { protobufMediaType } from '../protobuf/decode-protobuf.ts';
import { loadProtobufEncoder } from '../protobuf/protobuf-encoder.ts';
import { isStackOverflow } from '../json/parse-json.ts';
import type { FlowSchemas } from '../flow-control/flow-schemas.ts';
import type { Faults } from '../faults/faults.ts';
import type { Stats } from './stats.ts';
import { badRequest, failure, unauthorized } from '../status-errors/status-errors.ts';
import { attributesOf } from '../http/access.ts';
import { breakResponse } from '../http/break-connection.ts';
import { sendStatus, sendText, completed } from '../http/response.ts';
import { ApiRequest } from '../http/api-request.ts';
import type { PathRouter } from './path-router.ts';
import { negotiate } from '../http/media-type.ts';
import { ParsedUrls } from '../http/parsed-urls.ts';
import type { ResourceRequestInfo } from '../http/request-info.ts';
import { checkTimeout } from '../http/request-timeout.ts';
import type { ResourceRouter } from './resource-router.ts';
import { workOf } from '../http/work-of.ts';
import { yamlText, yamlType } from '../http/yaml-text.ts';

/** Most characters of an audit id. */
const MAX_AUDIT_ID = 64;

export interface PipelineContext {
  readonly origin: RequestOrigin;
  readonly authenticator: Authenticator;
  /** `undefined` if the server requests no client certificates. */
  readonly certificates: ClientCertificates | undefined;
  readonly authorizer: Authorizer;
  readonly accesses: AccessRecord;
  readonly version: KubernetesVersion;
  readonly faults: Faults;
  readonly clock: Clock;
  readonly stats: Stats;
  readonly flows: FlowSchemas;
  /** Decodes a body without Content-Type as JSON if the request has the header Authorization. */
  readonly acceptsUntyped: boolean;
  readonly paths: PathRouter;
  readonly resources: ResourceRouter;
}

/** A request and its response before the URL is parsed. */
type Exchange = Pick<ApiRequest, 'incoming' | 'response' | 'warnings'>;

/** Handles each request: the check of its origin, authentication, impersonation, faults, authorization, then a router. */
export class RequestPipeline {
  readonly #context: PipelineContext;
  readonly #impersonation: Impersonation;
  readonly #urls = new ParsedUrls();
  #running = 0;
  readonly #events = new EventEmitter<'idle'>();

  constructor(context: PipelineContext) {
    this.#context = context;
    this.#impersonation = new Impersonation(context);
  }

  /** Requests that have arrived and have no response yet. A watch counts until its stream has started. */
  get running(): number {
    return this.#running;
  }

  /** Calls the listener whenever the last running request has ended. */
  onIdle(listener: () => void): () => void {
    this.#events.on('idle', listener);
    return () => this.#events.off('idle', listener);
  }

  handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { activity } = this.#context.clock;
    if (activity === undefined) return this.#handle(incoming, response);
    const name = `the response to ${incoming.method} ${incoming.url}`;
    return activity.run(name, () => this.#handle(incoming, response), workOf(incoming));
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#running++;
    const exchange: Exchange = { incoming, response, warnings: [] };
    response.setHeader('Audit-Id', auditIdOf(incoming));
    try {
      await this.#respond(exchange);
    } catch (error) {
      await fail(exchange, error).catch(() => failUnsendable(response));
    } finally {
      this.#running--;
      if (this.#running === 0) this.#events.emit('idle');
    }
  }

  async #respond(exchange: Exchange): Promise<void> {
    const { incoming } = exchange;
    const { acceptsUntyped, accesses, faults, flows, origin, stats } = this.#context;
    const now = this.#context.clock.now();
    if (hasSeveralHosts(incoming.rawHeaders)) throw badRequest(severalHosts);
    const refusal = origin.refusalOf(incoming);
    if (refusal !== undefined) throw failure(403, 'Forbidden', refusal);
    const { info, query } = this.#urls.of(incoming);
    stats.count({ info, query });
    checkTimeout(info, query);
    const caller = this.#userOf(incoming);
    if (caller === undefined) throw unauthorized();
    const wanted = takeWantedUser(incoming);
    const user =
      wanted === undefined
        ? caller
        : this.#impersonation.userFor(wanted, attributesOf(info, caller));
    const request = new ApiRequest({ info, query, user, now, acceptsUntyped, ...exchange });
    const attributes = attributesOf(info, user);
    flows.mark(exchange.response, attributes);
    const decided = accesses.add(attributes);
    // Without faults the request continues at once.
    const fault = faults.applyTo(request);
    if (fault !== false && (await fault)) return;
    this.#authorize(attributes, decided);
    if (isResourceRequest(request)) await this.#context.resources.handle(request);
    else await this.#context.paths.handle(request);
  }

  /** A request with an invalid certificate may authenticate by token; without a token it is rejected. */
  #userOf({ socket, headers: { authorization } }: IncomingMessage): User | undefined {
    const { authenticator, certificates } = this.#context;
    const found = certificates?.find(socket);
    if (typeof found === 'object') return found;
    if (found === 'refused' && authorization === undefined) return undefined;
    return authenticator.authenticate(authorization);
  }

  #authorize(attributes: AccessAttributes, decided: (allowed: boolean) => void): void {
    const decision = this.#context.authorizer.authorize(attributes);
    decided(decision.allowed);
    if (!decision.allowed) throw new StatusError(forbiddenStatus(attributes, decision));
  }
}

const severalHosts = 'the request has several Host headers';

/** A request may choose the id by which an audit log finds it. */
function auditIdOf({ headers }: IncomingMessage): string {
  const own = headers['audit-id'];
  return typeof own === 'string' && own !== '' ? own.slice(0, MAX_AUDIT_ID) : randomUUID();
}

function isResourceRequest(request: ApiRequest): request is ApiRequest<ResourceRequestInfo> {
  return request.info.type === 'resource';
}

/** A client that disconnects while it sends its body is not an error of the server. */
async function fail({ incoming, response, warnings }: Exchange, error: unknown): Promise<void> {
  if (response.destroyed) return;
  if (response.headersSent) {
    breakResponse(response);
    return;
  }
  const refusal = statusErrorOf(error);
  sendStatus(response, refusal, {
    warnings,
    ...(await formOf(refusal, incoming.headers.accept)),
  });
}

/**
 * Responds to a request whose error cannot be sent, such as a denial of a webhook with the code 1000. kube-apiserver panics
 * and recovers. Source: `WithPanicRecovery` in `pkg/server/filters/wrap.go`.
 */
function failUnsendable(response: ServerResponse): void {
  sendText(
    response,
    500,
    'This request caused apiserver to panic. Look in the logs for details.\n',
  );
}

/** The form of a refusal; `undefined` for JSON. */
async function formOf(
  { status }: StatusError,
  accept: string | undefined,
): Promise<{ readonly text: string | Buffer; readonly contentType: string } | undefined> {
  const mediaType = negotiate(accept, () => true);
  // Refusals of Tables and metadata requests are in JSON.
  if (mediaType === undefined || mediaType.as !== undefined) return undefined;
  const object = completed(status);
  switch (mediaType.format) {
    case 'yaml':
      return { text: await yamlText(object), contentType: yamlType };
    case 'protobuf': {
      const encoder = await loadProtobufEncoder();
      return { text: encoder.object(object), contentType: protobufMediaType };
    }
    default:
      return undefined;
  }
}

function statusErrorOf(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  // Go's decoder has a limit of nesting. Here the stack may overflow before that limit.
  if (isStackOverflow(error)) return badRequest('the body of the request exceeded max depth');
  const message = error instanceof Error ? error.message : String(error);
  return failure(500, 'InternalError', `Internal error occurred: ${message}`);
}
