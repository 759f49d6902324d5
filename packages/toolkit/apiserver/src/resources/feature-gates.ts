/** The feature gates that the server knows. */
export interface FeatureGates {
  /**
   * Lists, watches and deletecollections obey `shardSelector` (KEP-5866, alpha in 1.36). Without the gate they ignore it.
   * Default false.
   */
  readonly ShardedListAndWatch?: boolean;
}
