/** The numbers of slots of this replica, read at each scrape. */
export interface ShardReading {
  /** Slots whose requests run here. */
  readonly owned: number;
  /** Slots that the ring assigns to this replica. */
  readonly wanted: number;
  /** Slots of the sharding that no replica runs, as this one observes it. */
  readonly unowned: number;
  /** True if the API server selects the objects of this replica. */
  readonly selectedByServer: boolean;
  /** Objects whose label this replica has to write. */
  readonly unlabelled: number;
}

/** Receives the measurements of a sharding. */
export interface ShardingMetrics {
  /** Slots have moved to or from this replica. */
  moved(slots: number): void;
  /** A slot has started this many milliseconds after this replica claimed it. */
  handedOver(milliseconds: number): void;
}
