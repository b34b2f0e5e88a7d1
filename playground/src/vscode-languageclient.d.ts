/** The parts of VS Code's language client that the extension's protocol.ts uses; only types, in the playground. */
export class RequestType<P, R, E> {
  constructor(method: string);
  readonly types: [P, R, E];
}
export class NotificationType<P> {
  constructor(method: string);
  readonly types: [P];
}
