import type { LabelSelector } from '@keelson/apimachinery';
import type { ResourceStore } from '../../storage/resource-store.ts';
import { byCodeUnit } from '../../storage/sorted-keys.ts';
import type { WebhookClientConfig } from '../../webhooks/webhook-client.ts';
import { type MatchCondition, MatchConditions } from '@keelson/structural-schema';
import { MatchCriteria } from './request-matcher.ts';
import type { MatchPolicy, ResourceRule } from './resource-rules.ts';

/** A webhook of a configuration, with its defaults. */
export interface WebhookSpec {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly ResourceRule[];
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly matchPolicy?: MatchPolicy;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchConditions?: readonly MatchCondition[];
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[];
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/** A webhook that can be matched and called. */
export interface Webhook {
  /** Identifies the webhook, also among webhooks with the same name. */
  readonly id: string;
  readonly spec: WebhookSpec;
  readonly criteria: MatchCriteria;
  readonly conditions: MatchConditions;
}

/** The webhooks of all configurations of one kind, in the order of the names of the configurations. */
export class WebhookSource {
  readonly #store: ResourceStore;
  #webhooks: readonly Webhook[] = [];
  /** The position in the log of the store that `#webhooks` reflects. */
  #position = -1;

  constructor(store: ResourceStore) {
    this.#store = store;
  }

  get isEmpty(): boolean {
    return this.#store.size === 0;
  }

  webhooks(): readonly Webhook[] {
    const { end } = this.#store.log;
    if (end !== this.#position) {
      this.#webhooks = this.#read();
      this.#position = end;
    }
    return this.#webhooks;
  }

  #read(): Webhook[] {
    const stored = [...this.#store.values()].toSorted((one, other) =>
      byCodeUnit(one.key, other.key),
    );
    return stored.flatMap((each) => {
      const { webhooks = [] } = each.parse() as { webhooks?: readonly WebhookSpec[] };
      return webhooks.map((spec, index) => webhookOf(`${each.key}/${spec.name}/${index}`, spec));
    });
  }
}

function webhookOf(id: string, spec: WebhookSpec): Webhook {
  const { failurePolicy = 'Fail', matchConditions = [] } = spec;
  return {
    id,
    spec,
    criteria: new MatchCriteria({ ...spec, rules: spec.rules }),
    conditions: new MatchConditions(matchConditions, { params: false, failurePolicy }),
  };
}
