import type { InformerEvent } from '@keelson/informer';
import { HandlerHistory } from '../cache/handler-history.ts';
import { ResyncModel } from '../cache/resync-model.ts';
import type { Report } from '../invariants/invariant.ts';
import type { Item } from '../server/kind.ts';
import { stampOf } from '../server/object-state.ts';
import type { SimulatedServer } from '../server/simulated-server.ts';
import type { WatchedSource } from './watched-source.ts';

export interface SourceEventsOptions {
  readonly controller: string;
  readonly source: WatchedSource;
  readonly server: SimulatedServer;
  readonly report: Report;
}

/** The events that the predicates of one source receive, and their checks. */
export class SourceEvents {
  readonly #options: SourceEventsOptions;
  /** `undefined` for a source that ignores own events: it does not receive every state. */
  readonly #history: HandlerHistory | undefined;
  /** The last change before the source. A controller recognizes no writes from before its first such source. */
  readonly #since: number;

  constructor(options: SourceEventsOptions) {
    const { controller, source, server, report } = options;
    const { ignoreOwn, resync } = source.query;
    this.#options = options;
    this.#since = server.stamp;
    if (ignoreOwn === true) return;
    this.#history = new HandlerHistory(`${source.name} of ${controller}`, {
      damaged: server.damaged,
      report,
      resyncs: resync === undefined ? undefined : new ResyncModel(),
    });
  }

  take(event: InformerEvent<Item>): void {
    const { controller, source, report } = this.#options;
    const { key, object } = event;
    const namespace = key.slice(0, key.indexOf('/'));
    if (!source.isLive || !source.isIn(namespace)) {
      report('removal', `${source.name} of ${controller} receives ${key} after its removal`);
    }
    this.#history?.take(event);
    if (source.query.ignoreOwn === true && this.#isOwn(event)) {
      report('own events', `${source.name} of ${controller}: ${key} in state ${stampOf(object)}`);
    }
  }

  /** The source has left a namespace. */
  leave(namespace: string): void {
    this.#history?.forget((key) => key.startsWith(`${namespace}/`));
  }

  /** True for the event of a single change that this controller made, and whose response has arrived. */
  #isOwn(event: InformerEvent<Item>): boolean {
    const { controller, server } = this.#options;
    const write = server.ownWrites.of(stampOf(event.object));
    if (write?.by !== controller || event.mayCombine === true) return false;
    if (write.stamp <= this.#since) return false;
    if (event.type === 'added') return write.isCreation && !event.initial;
    if (event.type === 'deleted') return false;
    return stampOf(event.previous) !== stampOf(event.object);
  }
}
