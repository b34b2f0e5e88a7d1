/** Runs an action repeatedly, one run at a time. */
export class Serial {
  private running: Promise<void> | undefined;
  private queued: Promise<void> | undefined;

  constructor(private readonly action: () => Promise<void>) {}

  /**
   * Resolves after a run of the action that began after this call.
   *
   * Calls share a queued run. A run that fails rejects its callers; the next run starts nevertheless.
   */
  run(): Promise<void> {
    if (!this.running) {
      return this.begin();
    }
    this.queued ??= this.running
      .catch(() => undefined)
      .then(() => {
        this.queued = undefined;
        return this.begin();
      });
    return this.queued;
  }

  /** Resolves when no run is in progress or queued. */
  async idle(): Promise<void> {
    for (let last = this.running; last; last = this.queued ?? this.running) {
      await last.catch(() => undefined);
    }
  }

  private begin(): Promise<void> {
    const run = this.action().finally(() => {
      this.running = undefined;
    });
    this.running = run;
    return run;
  }
}
