import {
  checkOptions,
  invalidOption,
  labelRequirementsOf,
  matchesLabels,
  parseLabelSelector,
  type LabelSelector,
} from '@keelson/apimachinery';
import type { Pod } from '../objects/kinds.ts';
import { behaviourOf, type BehaviourSettings, type PodBehaviour } from './pod-behaviour.ts';

/** Selects Pods: the text of a label selector such as `app=web`, or members that must all match. */
export type PodSelector =
  | string
  | {
      readonly namespace?: string;
      readonly name?: string;
      readonly labelSelector?: string | LabelSelector;
    };

/** Decides what the containers of Pods do. */
export interface PodRules {
  /**
   * The Pods that the selector selects behave like this from now on, those that exist and those to come. Of several rules
   * for a Pod the latest decides alone. Disposing of the rule (`using`) ends it: its Pods then behave as the others.
   *
   * Throws `INVALID_OPTION` and `INVALID_LABEL_SELECTOR`.
   */
  when(selector: PodSelector, behaviour: PodBehaviour): Disposable;
}

interface Rule {
  readonly selects: (pod: Pod) => boolean;
  readonly behaviour: BehaviourSettings;
}

const noRule: BehaviourSettings = behaviourOf({}, 'when');

/** The rules of a test for the Pods of its environment. */
export class PodRuleSet implements PodRules {
  readonly #rules: Rule[] = [];
  readonly #changed: (selects: Rule['selects']) => void;

  /** `changed` is called with the Pods that a rule concerns, when it begins and when it ends. */
  constructor(changed: (selects: Rule['selects']) => void) {
    this.#changed = changed;
  }

  when(selector: PodSelector, behaviour: PodBehaviour): Disposable {
    const rule: Rule = {
      selects: selectorOf(selector),
      behaviour: behaviourOf(behaviour, 'when.behaviour'),
    };
    this.#rules.push(rule);
    this.#changed(rule.selects);
    return { [Symbol.dispose]: () => this.#end(rule) };
  }

  #end(rule: Rule): void {
    const at = this.#rules.indexOf(rule);
    if (at < 0) return;
    this.#rules.splice(at, 1);
    this.#changed(rule.selects);
  }

  /** The behaviour of a Pod. */
  of(pod: Pod): BehaviourSettings {
    return this.#rules.findLast(({ selects }) => selects(pod))?.behaviour ?? noRule;
  }
}

function selectorOf(selector: PodSelector): Rule['selects'] {
  const where = 'when.selector';
  if (typeof selector === 'string') return selectorOf({ labelSelector: selector });
  checkOptions(selector, ['namespace', 'name', 'labelSelector'], where);
  const { namespace, name, labelSelector = '' } = selector;
  for (const value of [namespace, name])
    if (value !== undefined && typeof value !== 'string')
      throw invalidOption(where, 'must have texts');
  const requirements =
    typeof labelSelector === 'string'
      ? parseLabelSelector(labelSelector)
      : labelRequirementsOf(labelSelector);
  return ({ metadata }) =>
    (namespace === undefined || metadata.namespace === namespace) &&
    (name === undefined || metadata.name === name) &&
    matchesLabels(requirements, metadata.labels ?? {});
}
