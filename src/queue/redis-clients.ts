import type { Callback, ClusterNode, ClusterOptions, RedisOptions } from 'ioredis';
import { Cluster, Redis } from 'ioredis';

/*
 * Subclasses of ioredis' clients that emit `end` when they are closed. In ioredis 6.0, a client that is closed between
 * two connection attempts never emits `end`. BullMQ waits for that event before it closes the other parts of a worker,
 * so a process whose Redis was lost kept a timer and did not exit. These classes close such a client in the way in
 * which ioredis closes one that has not connected yet, in its status `wait`.
 */

/** A client of one server, or of the sentinels' primary. */
export class EndingRedis extends Redis {
  override disconnect(reconnect = false): void {
    const isBetweenTries = this.status === 'reconnecting';
    super.disconnect(reconnect);
    if (!isBetweenTries || reconnect) return;
    this.status = 'wait';
    super.disconnect();
  }

  override duplicate(override?: Partial<RedisOptions>): ReturnType<Redis['duplicate']> {
    return new EndingRedis({ ...this.options, ...override } as Omit<RedisOptions, 'replyMapping'>);
  }
}

/** Private members of ioredis' class `Cluster`. */
interface Inner {
  readonly manuallyClosing: boolean;
  readonly options: ClusterOptions;
  readonly startupNodes: readonly ClusterNode[];
}

/** If a cluster's client has no nodes, no event reports the close, because ioredis waits for the last node to end. */
const hasNoNodes = (cluster: Cluster): boolean =>
  cluster.status !== 'wait' && cluster.nodes().length === 0;

export class EndingCluster extends Cluster {
  private readonly heed = (): void => void setImmediate(() => this.leaveClosed());

  /**
   * In ioredis 6.0, a connection attempt never settles if the nodes were found and report an incomplete cluster: the
   * client continues to try, and reports this only by events. BullMQ waited for such an attempt.
   */
  override connect(): Promise<void> {
    this.off('close', this.heed).on('close', this.heed);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onEnd = (): void => {
      if (this.status === 'end') reject(new Error('Connection is closed.'));
    };
    this.on('ready', resolve).on('end', onEnd);
    super.connect().then(resolve, reject);
    return promise.finally(() => this.off('ready', resolve).off('end', onEnd));
  }

  override disconnect(reconnect = false): void {
    const isEmpty = hasNoNodes(this);
    super.disconnect(reconnect);
    if (isEmpty && !reconnect) this.endUnlessItConnects();
  }

  override quit(): Promise<'OK'>;
  override quit(callback: Callback<'OK'>): Promise<'OK'>;
  override quit(callback?: Callback<'OK'>): Promise<'OK'> {
    const isEmpty = hasNoNodes(this);
    const quitting = callback === undefined ? super.quit() : super.quit(callback);
    if (isEmpty) this.endUnlessItConnects();
    return quitting;
  }

  /** Checks in the next tick, because BullMQ closes a cluster's client and reconnects it in the same tick. */
  private endUnlessItConnects(): void {
    process.nextTick(() => {
      if (this.status !== 'disconnecting' && this.status !== 'close') return;
      this.status = 'wait';
      super.disconnect();
    });
  }

  /**
   * In ioredis 6.0, the nodes of a lost cluster may end late, while the client reconnects. Then the client is closed,
   * gives up that attempt and makes no further one, so this method reconnects it, unless it was closed on purpose.
   */
  private leaveClosed(): void {
    if (this.status !== 'close') return;
    if ((this as unknown as Inner).manuallyClosing) this.endUnlessItConnects();
    else this.connect().catch(() => undefined); // A failed attempt schedules the next one.
  }

  /** Prevents a slot refresh in progress from scheduling the next one after the client was closed, a defect of 6.0. */
  override refreshSlotsCache(callback?: Callback<void>): void {
    super.refreshSlotsCache((error, result) => {
      if (this.status !== 'end' && this.status !== 'disconnecting') callback?.(error, result);
    });
  }

  override duplicate(
    startNodes: ClusterNode[] = [],
    override: ClusterOptions = {},
  ): ReturnType<Cluster['duplicate']> {
    const { options, startupNodes } = this as unknown as Inner;
    const redisOptions = { ...options.redisOptions, ...override.redisOptions };
    const nodes = startNodes.length > 0 ? startNodes : [...startupNodes];
    type Options = ConstructorParameters<typeof EndingCluster>[1];
    return new EndingCluster(nodes, { ...options, ...override, redisOptions } as Options);
  }
}
