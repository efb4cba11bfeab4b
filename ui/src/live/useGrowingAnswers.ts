import { useEffect, useState } from 'react';
import { useSocket } from './LiveProvider';
import { grown, noAnswers, type GrowingAnswers } from './growingAnswers';

/** Answers that the models of a session are giving, while its page is open. */
export function useGrowingAnswers(channel: string | null): GrowingAnswers {
  const socket = useSocket();
  const [answers, setAnswers] = useState({ channel, map: noAnswers });
  useEffect(() => {
    if (channel === null) return undefined;
    const off = socket.onEvents((events) => {
      const own = events.filter((event) => event.channel === channel);
      if (own.length === 0) return;
      setAnswers((now) => {
        const before = now.channel === channel ? now.map : noAnswers;
        const map = grown(before, own);
        return map === before ? now : { channel, map };
      });
    });
    const leave = socket.listen(channel);
    return () => { off(); leave(); };
  }, [socket, channel]);
  return answers.channel === channel ? answers.map : noAnswers;
}
