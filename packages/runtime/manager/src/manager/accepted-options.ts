import type { Hint, KubernetesObject } from '@keelson/apimachinery';
import type { HintsOf, outcomeMistakes, pulledMistakes } from '../common-mistakes.ts';
import type { Outcome } from '../reconcile/outcome.ts';
import type { Spanning } from '../sources/cluster-selection.ts';
import type { ClusterRequest, Request } from '../reconcile/request.ts';
import type { ControllerOptions, SpanningOptions } from '../controller/controller-options.ts';
import type { FormOf, SourceForm } from '../sources/source-options.ts';
import type { Watched } from '../sources/index-watches/watches-of.ts';

/**
 * The options that `addController` accepts, as one type that depends on the request and the result of `reconcile`. An
 * intersection, or the result as a part of the type of `reconcile`, would make the compiler print a mistake in several
 * lines.
 */
export type AcceptedOptions<
  T extends KubernetesObject,
  Q extends object,
  Kinds extends readonly Watched[],
  P extends SourceForm,
  R,
  C extends Spanning = undefined,
> = [MistakeIn<Awaited<R>>] extends [never]
  ? [C] extends [undefined]
    ? Request extends Q
      ? ControllerOptions<T, Q, Kinds, P, R>
      : ClusterRequest extends Q
        ? ControllerOptions<T, Q, Kinds, P, R>
        : KeyedOptions<T, Q, Kinds, P, R>
    : ClusterRequest extends Q
      ? SpanningOptions<T, Q, Kinds, P, R, C>
      : KeyedOptions<T, Q, Kinds, P, R>
  : { readonly reconcile: Hint<MistakeIn<Awaited<R>>>; readonly [option: string]: unknown };

/**
 * The options of a controller with its own request type. It needs `keyOf`, and neither `for` nor `owns`, whose events
 * give plain names.
 */
interface KeyedOptions<
  T extends KubernetesObject,
  Q extends object,
  Kinds extends readonly Watched[],
  P extends SourceForm,
  R,
> extends Omit<ControllerOptions<T, Q, Kinds, P, R>, 'for' | 'owns' | 'keyOf'> {
  readonly for?: Hint<'for: use `watches`, for the request is not an object name'>;
  readonly owns?: readonly [];
  readonly keyOf: (request: Q) => string;
}

/** The cure of a wrong result; `never` for a valid one. */
type MistakeIn<Result> = [Result] extends [Outcome | void]
  ? UnknownMember<Result> extends never
    ? never
    : typeof resultCure
  : CureOf<MemberOf<Result>>;

type MemberOf<Result> = Result extends object ? keyof Result : never;

/** Members that an outcome does not have. A type that has every member, such as `any`, is not checked. */
type UnknownMember<Result> =
  string extends MemberOf<Result> ? never : Exclude<MemberOf<Result>, keyof Outcome>;

type CureOf<Member> = [Member & keyof typeof outcomeMistakes] extends [never]
  ? typeof resultCure
  : KnownCure<Member & keyof typeof outcomeMistakes>;

type KnownCure<Name extends keyof typeof outcomeMistakes> = Name extends string
  ? `${Name}: ${(typeof outcomeMistakes)[Name]}`
  : never;

declare const resultCure: 'reconcile must return nothing or { requeueAfter, retry, priority }';

/** The options of `addPulledController`: those of a controller without `reconcile` and `concurrency`. */
export type PulledControllerOptions<
  T extends KubernetesObject = KubernetesObject,
  Q extends object = Request,
  Kinds extends readonly Watched[] = readonly KubernetesObject[],
  P extends SourceForm = FormOf<T>,
> = Omit<ControllerOptions<T, Q, Kinds, P>, keyof typeof pulledMistakes> &
  HintsOf<typeof pulledMistakes>;
