/** The page of the streams view. */
import type { StreamsMessage } from "../messages";
import { content, element, onMessage, picture } from "./host";

onMessage((data) => {
  const message = data as StreamsMessage;
  content().replaceChildren("svg" in message ? picture(message.svg) : element("p", message.error, "error"));
});
