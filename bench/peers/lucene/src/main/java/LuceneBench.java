import java.io.BufferedReader;
import java.nio.file.*;
import java.util.*;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.search.*;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.*;

/**
 * Lucene beside our engine: tokens.txt (a passage a line, tokens between spaces), then files of
 * queries (the same). One thread, one segment, one field with positions, disjunctions of terms, top
 * 10, the best of several rounds for each query. Prints a JSON object a query set.
 */
public class LuceneBench {
  /** The tokens of a line, as they are. */
  static final class Spaced extends TokenStream {
    private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
    private final String line;
    private int at = 0;

    Spaced(String line) {
      this.line = line;
    }

    @Override
    public boolean incrementToken() {
      clearAttributes();
      while (at < line.length() && line.charAt(at) == ' ') at++;
      if (at >= line.length()) return false;
      int end = line.indexOf(' ', at);
      if (end < 0) end = line.length();
      term.append(line, at, end);
      at = end;
      return true;
    }
  }

  public static void main(String[] args) throws Exception {
    Path tokens = Path.of(args[0]), dir = Path.of(args[1]);
    int rounds = Integer.parseInt(args[2]);
    long begun = System.nanoTime();
    Directory directory = new MMapDirectory(dir);
    IndexWriterConfig config = new IndexWriterConfig();
    config.setOpenMode(IndexWriterConfig.OpenMode.CREATE);
    config.setRAMBufferSizeMB(512);
    config.setUseCompoundFile(false);
    config.setMergeScheduler(new SerialMergeScheduler());
    FieldType type = new FieldType();
    type.setIndexOptions(IndexOptions.DOCS_AND_FREQS_AND_POSITIONS);
    type.setTokenized(true);
    type.freeze();
    int n = 0;
    try (IndexWriter writer = new IndexWriter(directory, config);
        BufferedReader in = Files.newBufferedReader(tokens)) {
      for (String line; (line = in.readLine()) != null; n++) {
        Document d = new Document();
        d.add(new Field("body", new Spaced(line), type));
        writer.addDocument(d);
      }
      writer.forceMerge(1);
      writer.commit();
    }
    double build = (System.nanoTime() - begun) / 1e9;
    long bytes = 0;
    for (String f : directory.listAll()) bytes += directory.fileLength(f);
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setSimilarity(new BM25Similarity(1.2f, 0.75f));
      searcher.setQueryCache(null);
      for (int a = 3; a < args.length; a++) {
        Path set = Path.of(args[a]);
        List<Query> queries = new ArrayList<>();
        for (String line : Files.readAllLines(set)) {
          BooleanQuery.Builder b = new BooleanQuery.Builder();
          for (String t : line.split(" ")) {
            if (!t.isEmpty()) b.add(new TermQuery(new Term("body", t)), BooleanClause.Occur.SHOULD);
          }
          queries.add(b.build());
        }
        long[] best = new long[queries.size()];
        Arrays.fill(best, Long.MAX_VALUE);
        long hits = 0;
        // The first rounds warm the JVM.
        for (int round = 0; round < rounds + 10; round++) {
          for (int q = 0; q < best.length; q++) {
            long t = System.nanoTime();
            TopDocs top = searcher.search(queries.get(q), new TopScoreDocCollectorManager(10, 10));
            t = System.nanoTime() - t;
            hits += top.scoreDocs.length;
            if (round >= 10) best[q] = Math.min(best[q], t);
          }
        }
        double[] us = new double[best.length];
        StringBuilder all = new StringBuilder();
        for (int q = 0; q < us.length; q++) {
          us[q] = best[q] / 1e3;
          all.append(q > 0 ? "," : "").append(String.format(Locale.ROOT, "%.2f", us[q]));
        }
        System.out.printf(
            Locale.ROOT,
            "{\"engine\":\"Lucene 9.12.3\",\"set\":\"%s\",\"build_s\":%.2f,\"index_mb\":%.1f,\"documents\":%d,\"us\":[%s]}%n",
            set.getFileName(), build, bytes / 1e6, n, all);
        if (hits == 0) throw new IllegalStateException("no hits");
      }
    }
  }
}
