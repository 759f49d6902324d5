/** Decides whether requests run in this replica. */
export interface ShardGate {
  /** The slot of a request. `key` is its key in the queue. */
  slotOf(request: object, key: string): number;
  /** The slot of all requests of a cluster; `undefined` if they belong to several slots. */
  slotOfCluster(name: string): number | undefined;
  /**
   * - `here`: the request runs in this replica.
   * - `soon`: this replica takes the slot over, and another replica may still run the request.
   * - `elsewhere`: another replica runs the request.
   */
  placeOf(slot: number): 'here' | 'soon' | 'elsewhere';
}
