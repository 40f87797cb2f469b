"""Train the cross-encoder on what prepare.py wrote.

In: the .npz of prepare.py and a base model (a folder with model.safetensors). Out: a
.safetensors file of weights, and on standard output the loss and, for repositories
that are never trained on, nDCG@10 of hybrid candidates as found, as reranked, and
blended. A budget of minutes bounds it: the learning rate follows the clock, so that
any machine ends with a finished model.

Negatives are mined with what will retrieve: BM25 (from prepare.py) and a bi-encoder
(the base model itself), fused by reciprocal rank within the query's pool. The loss is
softmax cross-entropy over each query's candidates plus a little binary cross-entropy,
which gives the logit an absolute meaning.

  python train.py train.npz minilm/ out.safetensors --minutes 8            (GPU)
  python train.py train.npz minilm/ out.safetensors --minutes 170 --length 128 --negatives 7 --groups 8   (2 cores)
"""

import argparse
import math
import os
import time

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

from model import CLS, SEP, CrossEncoder

FALSE_NEGATIVE = 0.93  # cosine to the right passage above which a wrong one may be right too


class Data:
    """Token ids of passages and queries, addressed by number."""

    def __init__(self, path):
        z = np.load(path, allow_pickle=False)
        for name in ("text", "title", "query", "gone"):
            setattr(self, name, z[name])
            setattr(self, name + "_at", z[name + "_at"])
        self.positive, self.pool, self.candidates = z["positive"], z["pool"], z["candidates"]
        self.place = z["place"]
        self.dev = z["dev"][self.pool[self.positive]]
        self.names, self.kind = z["names"], z["kind"]

    def ids(self, what, i):
        at = getattr(self, what + "_at")
        return getattr(self, what)[at[i]:at[i + 1]]

    def passage(self, i, titled, without=None):
        body = self.ids("text", i)
        if without is not None and len(without) > 3:
            body = remove(body, without)
        return np.concatenate([self.ids("title", i), body]) if titled else body


def remove(body, part):
    """The body without the run of ids that is part, whose first may be split otherwise."""
    probe = part[1:4]
    for at in np.flatnonzero(body[:-3] == probe[0]):
        if np.array_equal(body[at:at + 3], probe):
            return np.concatenate([body[:max(0, at - 1)], body[at - 1 + len(part):]])
    return body


def pack(pairs, length, device):
    """Pairs of (query ids, passage ids) as the model's three inputs."""
    rows = [(q, d[:length - 3 - len(q)]) for q, d in pairs]
    longest = max(len(q) + len(d) for q, d in rows) + 3
    longest = min(length, (longest + 7) // 8 * 8)
    ids = np.zeros((len(rows), longest), np.int64)
    mask, kinds = np.zeros_like(ids), np.zeros_like(ids)
    for i, (q, d) in enumerate(rows):
        a, b = len(q) + 2, len(q) + len(d) + 3
        ids[i, 0], ids[i, 1:a - 1], ids[i, a - 1], ids[i, a:b - 1], ids[i, b - 1] = CLS, q, SEP, d, SEP
        mask[i, :b], kinds[i, a:b] = 1, 1
    return [torch.from_numpy(x).to(device, non_blocking=True) for x in (ids, mask, kinds)]


@torch.no_grad()
def embed(encoder, rows, device, length, batch):
    """Unit vectors of texts: the mean of the last layer, as sentence transformers do."""
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    out = np.zeros((len(rows), encoder.norm.weight.shape[0]), np.float16)
    for start in range(0, len(rows), batch):
        part = order[start:start + batch]
        longest = min(length, max(len(rows[i]) for i in part) + 2)
        ids = np.zeros((len(part), longest), np.int64)
        mask = np.zeros_like(ids)
        for j, i in enumerate(part):
            r = rows[i][:longest - 2]
            ids[j, 0], ids[j, 1:len(r) + 1], ids[j, len(r) + 1], mask[j, :len(r) + 2] = CLS, r, SEP, 1
        ids, mask = torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device)
        with autocast(device):
            h = encoder(ids, mask, torch.zeros_like(ids)).float()
        v = F.normalize((h * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), dim=-1)
        out[part] = v.half().cpu().numpy()
    return out


def autocast(device):
    """bfloat16 where the machine has it; emulated it is a hundred times slower."""
    fast = device.type == "cuda"
    if not fast and os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as f:
            flags = f.read()
        fast = "avx512_bf16" in flags or "amx_bf16" in flags
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=fast)


def mine(data, encoder, device, width, batch):
    """Candidates of every query, best first: BM25's and the bi-encoder's of its pool,
    fused by 1 / (20 + rank), without the right passage and its near twins; and the
    place at which the right passage would stand among them."""
    n = len(data.text_at) - 1
    passages = torch.from_numpy(embed(encoder, [np.concatenate([data.ids("title", i), data.ids("text", i)]) for i in range(n)], device, 128, batch)).to(device)
    queries = torch.from_numpy(embed(encoder, [data.ids("query", i) for i in range(len(data.positive))], device, 64, batch)).to(device)
    mined = np.full((len(data.positive), width), -1, np.int32)
    place = np.full(len(data.positive), width, np.int32)
    for k in range(len(data.names)):
        members = np.flatnonzero(data.pool == k)
        asked = np.flatnonzero(data.pool[data.positive] == k)
        if len(members) < 2:
            continue
        where = np.full(n, -1, np.int64)
        where[members] = np.arange(len(members))
        vectors = passages[torch.from_numpy(members).to(device)].float()
        for start in range(0, len(asked), 1024):
            part = asked[start:start + 1024]
            right = torch.from_numpy(where[data.positive[part]]).to(device)
            twins = vectors[right] @ vectors.T > FALSE_NEGATIVE
            cosine = queries[torch.from_numpy(part).to(device)].float() @ vectors.T
            dense = cosine.topk(min(40, len(members)), -1).indices
            score = torch.zeros_like(cosine)
            score.scatter_(1, dense, 1 / (20 + torch.arange(dense.shape[1], device=device).float()).expand(dense.shape).contiguous())
            lexical = data.candidates[part]
            for rank in range(lexical.shape[1]):
                c = lexical[:, rank]
                known = np.flatnonzero(c >= 0)
                score[torch.from_numpy(known).to(device), torch.from_numpy(where[c[known]]).to(device)] += 1 / (20 + rank)
            rows = torch.arange(len(part), device=device)
            known = np.flatnonzero(data.place[part] >= 0)
            score[torch.from_numpy(known).to(device), right[torch.from_numpy(known).to(device)]] += torch.from_numpy(1 / (20 + data.place[part][known])).float().to(device)
            own = score[rows, right].clone()
            score[twins] = 0
            score[rows, right] = 0
            best = score.topk(min(width, len(members)), -1)
            found = members[best.indices.cpu().numpy()]
            found[best.values.cpu().numpy() <= 0] = -1
            mined[part, :found.shape[1]] = found
            place[part] = np.where(own.cpu().numpy() > 0, (best.values > own[:, None]).sum(1).cpu().numpy(), width)
    return mined, place


class Groups:
    """Training groups in a shuffled order, epoch after epoch."""

    def __init__(self, data, mined, negatives, rng):
        self.data, self.mined, self.negatives, self.rng = data, mined, negatives, rng
        self.usable = np.flatnonzero(~data.dev & (mined[:, 0] >= 0))
        self.members = {k: np.flatnonzero(data.pool == k) for k in range(len(data.names))}
        self.order = np.empty(0, np.int64)
        self.epochs = 0

    def next(self, n):
        if len(self.order) < n:
            self.order = np.concatenate([self.order, self.rng.permutation(self.usable)])
            self.epochs += 1
        part, self.order = self.order[:n], self.order[n:]
        pairs = []
        for i in part:
            hard = self.mined[i][self.mined[i] >= 0]
            want = self.negatives
            near = self.rng.permutation(hard[:12])[:(want * 4 + 6) // 7]
            far = self.rng.permutation(hard[12:])[:(want * 2 + 6) // 7]
            wrong = np.concatenate([near, far])
            pool = self.members[self.data.pool[self.data.positive[i]]]
            while len(wrong) < want:
                x = pool[self.rng.integers(len(pool))]
                if x != self.data.positive[i]:
                    wrong = np.append(wrong, x)
            titled = self.rng.random() < 0.5
            query, gone = self.data.ids("query", i), self.data.ids("gone", i)
            for j, p in enumerate([self.data.positive[i], *wrong[:want]]):
                pairs.append((query, self.data.passage(p, titled, gone if j == 0 else None)))
        return pairs


@torch.no_grad()
def measure(model, data, mined, places, device, length, per_pool, depth=20):
    """Mean nDCG@10 on held-out repositories over the queries whose right passage is
    among the hybrid's best: as found, as reranked, and blended 0.3, 0.5 and 0.7 with
    the place as the fused score. Also the logits with their labels."""
    rng = np.random.default_rng(7)
    model.eval()
    gains, logits, labels = [], [], []
    for k in np.unique(data.pool[data.positive[data.dev]]):
        asked = np.flatnonzero(data.dev & (data.pool[data.positive] == k) & (places < depth) & np.isin(data.kind, ("heading", "question", "title", "qa")))
        for i in rng.permutation(asked)[:per_pool]:
            wrong = mined[i][mined[i] >= 0][:depth - 1]
            place = min(places[i], len(wrong))
            order = np.insert(wrong, place, data.positive[i])
            query = data.ids("query", i)
            with autocast(device):
                s = model(*pack([(query, data.passage(p, True)) for p in order], length, device))[:, 0].float().cpu().numpy()
            logits.append(s)
            labels.append(np.arange(len(order)) == place)
            unit = (s - s.min()) / max(1e-6, s.max() - s.min())
            fused = np.linspace(1, 0, len(order))
            row = []
            for weight in (0, 1, 0.3, 0.5, 0.7):
                mixed = weight * unit + (1 - weight) * fused
                at = int((mixed > mixed[place]).sum())
                row.append(1 / math.log2(at + 2) if at < 10 else 0)
            gains.append(row)
    model.train()
    return np.mean(gains, 0), np.concatenate(logits), np.concatenate(labels)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("data")
    p.add_argument("base", help="folder with model.safetensors")
    p.add_argument("out")
    p.add_argument("--minutes", type=float, default=8, help="of training, mining apart")
    p.add_argument("--length", type=int, default=256)
    p.add_argument("--negatives", type=int, default=15)
    p.add_argument("--groups", type=int, default=32, help="queries a step")
    p.add_argument("--micro", type=int, default=0, help="pairs a forward pass; 0: 32 on a CPU, 512 on a GPU")
    p.add_argument("--rate", type=float, default=5e-5)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--dev", type=int, default=150, help="queries measured per held-out repository")
    a = p.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)
    micro = a.micro or (512 if device.type == "cuda" else 32)
    data = Data(a.data)
    model = CrossEncoder()
    model.encoder.load_bert(load_file(a.base + "/model.safetensors"))
    model.encoder.word.weight.requires_grad_(False)
    model.to(device)

    start = time.time()
    mined, places = mine(data, model.encoder, device, 40, 512 if device.type == "cuda" else 64)
    groups = Groups(data, mined, a.negatives, rng)
    print(f"mined in {time.time() - start:.0f} s; {len(groups.usable)} queries to train on", flush=True)

    def report(step):
        row, logits, labels = measure(model, data, mined, places, device, a.length, a.dev)
        print(f"step {step}, {time.time() - start:.0f} s: held out, nDCG@10: as found %.3f  reranked %.3f  0.3 %.3f  0.5 %.3f  0.7 %.3f" % tuple(row), flush=True)
        return logits, labels

    report(0)
    head = [q for n, q in model.named_parameters() if not n.startswith("encoder.")]
    body = [q for n, q in model.named_parameters() if n.startswith("encoder.") and q.requires_grad]
    optimiser = torch.optim.AdamW([
        {"params": [q for q in body if q.ndim > 1], "lr": a.rate, "weight_decay": 0.01},
        {"params": [q for q in body if q.ndim < 2], "lr": a.rate, "weight_decay": 0},
        {"params": head, "lr": a.rate * 5, "weight_decay": 0}], betas=(0.9, 0.98), fused=True)
    rates = [g["lr"] for g in optimiser.param_groups]

    size = a.negatives + 1
    start, step, seen, losses, next_report = time.time(), 0, 0, [], 0.25
    while (done := (time.time() - start) / (60 * a.minutes)) < 1:
        factor = min(1, (step + 1) / 40) * max(0.02, 1 - done)
        for g, r in zip(optimiser.param_groups, rates):
            g["lr"] = r * factor
        pairs = groups.next(a.groups)
        # Sorted by length, whole groups together, so that little is padding.
        order = sorted(range(a.groups), key=lambda g: max(len(d) for _, d in pairs[g * size:(g + 1) * size]))
        per = max(1, micro // size)
        total = 0.0
        for s in range(0, a.groups, per):
            part = order[s:s + per]
            inputs = pack([pairs[g * size + j] for g in part for j in range(size)], a.length, device)
            with autocast(device):
                logit = model(*inputs)[:, 0].float().view(len(part), size)
            target = torch.zeros_like(logit)
            target[:, 0] = 1
            loss = F.cross_entropy(logit, torch.zeros(len(part), dtype=torch.long, device=device), reduction="sum")
            loss = loss + 0.1 * F.binary_cross_entropy_with_logits(logit, target, reduction="sum")
            (loss / a.groups).backward()
            total += loss.item() / a.groups
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        step, seen = step + 1, seen + a.groups * size
        losses.append(total)
        if step % 50 == 0:
            print(f"step {step}, {time.time() - start:.0f} s, {seen} pairs, epoch {groups.epochs}: loss {np.mean(losses[-50:]):.3f}", flush=True)
        if done > next_report:
            report(step)
            next_report += 0.25
            save(model, a.out)
    logits, labels = report(step)
    save(model, a.out)
    np.savez(a.out + ".dev.npz", logits=logits, labels=labels)
    print(f"{step} steps, {seen} pairs in {(time.time() - start) / 60:.1f} min")


def save(model, path):
    save_file({k: v.detach().cpu().half() if k.startswith("encoder.") else v.detach().cpu().clone() for k, v in model.state_dict().items()}, path)


if __name__ == "__main__":
    main()
